//! Networks in training: their layers ([`net`]), how they are put together ([`architecture`]), and
//! the [`device`] on which they are fitted.

pub mod architecture;
pub mod device;
pub mod net;
