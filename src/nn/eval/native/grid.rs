//! Memory layout of the board: row after row, with a border of zeros that neighbouring rows share,
//! and zeros up to whole tiles.

/// How the points of a board lie in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// With a border, for kernels that read neighbours.
    Board,
    /// One after the other, for what computes each point alone.
    Row,
}

/// A board with its border.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    pub width: usize,
    pub height: usize,
    /// Width of the border: half of the largest kernel.
    pub border: usize,
    /// Offset from a point to the one above it.
    pub stride: usize,
    /// All points, including the border.
    pub len: usize,
    /// Width of the tiles of Winograd convolutions: the one that needs fewer products.
    pub tile: usize,
}

/// Widths of tiles for which there are [transforms](super::kernels::kernel_frequencies).
const TILES: [usize; 2] = [3, 4];

impl Grid {
    pub fn new(width: usize, height: usize, border: usize) -> Grid {
        let products = |&tile: &usize| tile_products(tile, [width, height]);
        let tile = TILES.into_iter().min_by_key(products).unwrap_or(TILES[0]);
        let [columns, rows] = [width, height].map(|side| side.next_multiple_of(tile));
        let stride = columns + border;
        Grid {
            width,
            height,
            border,
            stride,
            len: (rows + 2 * border) * stride + border,
            tile,
        }
    }

    /// All points as one row without a border.
    pub fn row(points: usize) -> Grid {
        Grid {
            width: points,
            height: 1,
            border: 0,
            stride: points,
            len: points,
            tile: TILES[0],
        }
    }

    /// The board's first point.
    pub fn origin(&self) -> usize {
        self.border * self.stride + self.border
    }

    /// The point in this row and column of the board.
    pub fn at(&self, row: usize, column: usize) -> usize {
        self.origin() + row * self.stride + column
    }

    /// Rows and columns of tiles.
    pub fn tiles(&self) -> [usize; 2] {
        [self.height, self.width].map(|side| side.div_ceil(self.tile))
    }

    /// Products of a tile per pair of channels.
    pub fn frequencies(&self) -> usize {
        (self.tile + 2).pow(2)
    }

    /// Products of all tiles per pair of channels.
    pub fn products(&self) -> usize {
        tile_products(self.tile, [self.width, self.height])
    }

    /// Offsets that a kernel of this height and width reads, in the order of its weights, from the
    /// point that lies [`Grid::origin`] before the one computed.
    pub fn taps(&self, [height, width]: [usize; 2]) -> Vec<usize> {
        let first = [self.border - height / 2, self.border - width / 2];
        let rows = (0..height).map(|row| (first[0] + row) * self.stride + first[1]);
        rows.flat_map(|row| row..row + width).collect()
    }
}

/// Products per pair of channels with tiles of this width.
fn tile_products(tile: usize, sides: [usize; 2]) -> usize {
    let tiles: usize = sides.map(|side| side.div_ceil(tile)).iter().product();
    tiles * (tile + 2).pow(2)
}

/// `len` items in parts of nearly equal length, at most `most`: start and length.
pub fn parts(len: usize, most: usize) -> impl Iterator<Item = (usize, usize)> {
    let parts = len.div_ceil(most);
    (0..parts).map(move |part| {
        let [start, end] = [part, part + 1].map(|part| part * len / parts);
        (start, end - start)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tap_of_every_point_is_inside_and_rows_do_not_touch() {
        for border in 0..4 {
            let grid = Grid::new(5, 3, border);
            let side = 2 * border + 1;
            let taps = grid.taps([side, side]);
            assert_eq!(taps.len(), side * side);
            let points: Vec<usize> = (0..3)
                .flat_map(|row| (0..5).map(move |column| grid.at(row, column)))
                .collect();
            for (i, point) in points.iter().enumerate() {
                let (row, column) = (i / 5, i % 5);
                for (tap, offset) in taps.iter().enumerate() {
                    let seen = point - grid.origin() + offset;
                    assert!(seen < grid.len);
                    let (dy, dx) = (tap / side, tap % side);
                    let inside = (border..3 + border).contains(&(row + dy))
                        && (border..5 + border).contains(&(column + dx));
                    assert_eq!(points.contains(&seen), inside);
                    if inside {
                        assert_eq!(seen, grid.at(row + dy - border, column + dx - border));
                    }
                }
            }
        }
    }

    #[test]
    fn columns_are_all_there_once() {
        for width in 1..40 {
            for most in 1..15 {
                let mut next = 0;
                for (start, len) in parts(width, most) {
                    assert!(start == next && (1..=most).contains(&len));
                    next += len;
                }
                assert_eq!(next, width);
            }
        }
    }
}
