//! Known values.

use super::*;

/// Zero, one, minus one, star, up, the switch of one and minus one.
pub(in super::super) fn samples(values: &mut Values) -> [Value; 6] {
    let [one, minus] = [1, -1].map(|n| values.integer(n));
    let star = values.position(vec![ZERO], vec![ZERO]);
    let up = values.position(vec![ZERO], vec![star]);
    let switch = values.position(vec![one], vec![minus]);
    [ZERO, one, minus, star, up, switch]
}

#[test]
fn known_values_are_found() {
    let mut values = Values::new();
    let [zero, one, minus, star, up, switch] = samples(&mut values);
    assert_eq!(values.number(one), Some(ONE));
    let half = values.position(vec![zero], vec![one]);
    assert_eq!(values.number(half), Some(ONE / 2));
    assert_eq!(values.add(half, half), one);
    assert_eq!(values.add(one, minus), zero);
    assert_eq!(values.add(star, star), zero);
    assert_eq!(values.add(switch, switch), zero);
    // {-5|} and {-3|3} are 0, {1|3} is 2: reversible options.
    let [five, three, plus] = [-5, -3, 3].map(|n| values.integer(n));
    assert_eq!(values.position(vec![five], vec![]), zero);
    assert_eq!(values.position(vec![three], vec![plus]), zero);
    assert_eq!(values.position(vec![one], vec![plus]), values.integer(2));
    // Up is positive, less than every positive number and confused with star.
    assert!(values.at_most(zero, up) && !values.at_most(up, zero));
    assert!(values.at_most(up, half));
    assert!(!values.at_most(up, star) && !values.at_most(star, up));
    // {0|*} + {0|*} + * = {0|up}: Siegel's up multiples.
    let two = values.add(up, up);
    let sum = values.add(two, star);
    assert_eq!(sum, values.position(vec![zero], vec![up]));
}

#[test]
fn hashes_do_not_depend_on_the_order_of_discovery() {
    let mut one = Values::new();
    let [.., up, switch] = samples(&mut one);
    let mut other = Values::new();
    other.integer(3);
    let half = other.integer(1);
    other.position(vec![ZERO], vec![half]);
    let [.., other_up, other_switch] = samples(&mut other);
    assert_ne!(switch, other_switch);
    for side in Color::BOTH {
        assert_eq!(one.hash(up, side), other.hash(other_up, side));
        assert_eq!(one.hash(switch, side), other.hash(other_switch, side));
        assert_ne!(one.hash(up, side), one.hash(switch, side));
    }
}

#[test]
fn the_other_side_sees_the_negative() {
    let mut values = Values::new();
    for value in samples(&mut values) {
        let negative = values.negative(value);
        assert_eq!(values.add(value, negative), ZERO);
        assert_eq!(values.negative(negative), value);
        assert_eq!(
            values.hash(value, Color::White),
            values.hash(negative, Color::Black)
        );
        assert_eq!(
            values.stops(negative),
            values
                .stops(value)
                .map(|n| -n)
                .into_iter()
                .rev()
                .collect::<Vec<_>>()[..]
        );
    }
}
