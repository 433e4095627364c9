//! Values of arrays: a default, and ranges of positions that hold something else.
//!
//! Why ranges in a persistent tree: a chain of stores shares all but a path per store, and a fill or copy of a billion cells is one range.
//! The tree is a treap over disjoint ranges ordered by position; priorities are hashes of the start, so equal histories give equal trees.
//! A range holds one value, or shows the cells of another array at a fixed distance.

use blitz_base::Bv;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// The value of an array term. Equality is by contents.
#[derive(Clone)]
pub struct ArrayValue {
    index_width: u16,
    default: Bv,
    root: Tree,
}

/// Copies of up to this many stretches are made cell by cell.
const COPIED_PIECES: usize = 64;

type Tree = Option<Arc<Node>>;

struct Node {
    range: Range,
    priority: u64,
    left: Tree,
    right: Tree,
}

/// The positions `first..=last`.
#[derive(Clone)]
struct Range {
    first: Bv,
    last: Bv,
    cells: Cells,
}

#[derive(Clone)]
enum Cells {
    Same(Bv),
    /// Position `i` shows `array[i + distance]`.
    View(ArrayValue, Bv),
}

impl ArrayValue {
    /// The array that holds `default` everywhere.
    pub fn new(index_width: u16, default: Bv) -> Self {
        Self { index_width, default, root: None }
    }

    /// The number of bits of an index.
    pub fn index_width(&self) -> u16 {
        self.index_width
    }

    /// The value at all positions that no range covers.
    pub fn default_value(&self) -> &Bv {
        &self.default
    }

    /// Puts a value at a position.
    pub fn set(&mut self, index: Bv, value: Bv) {
        let range = Range { first: index.clone(), last: index, cells: Cells::Same(value) };
        self.root = put(&self.root, range);
    }

    /// The same array with a value at a position.
    pub fn with(&self, index: Bv, value: Bv) -> Self {
        let mut out = self.clone();
        out.set(index, value);
        out
    }

    /// The value at a position.
    pub fn get(&self, index: &Bv) -> Bv {
        self.stretch(index).0
    }

    /// The value at a position, and the last position up to which it surely stays the same.
    fn stretch(&self, index: &Bv) -> (Bv, Bv) {
        let mut array = self;
        let mut at = index.clone();
        let mut length = Bv::ones(index.width()).sub(index);
        loop {
            let (cells, last) = array.find(&at);
            let here = last.sub(&at);
            if here.ult(&length) {
                length = here;
            }
            match cells {
                None => return (array.default.clone(), index.add(&length)),
                Some(Cells::Same(value)) => return (value.clone(), index.add(&length)),
                Some(Cells::View(other, distance)) => {
                    at = at.add(distance);
                    array = other;
                }
            }
        }
    }

    /// The cells of the range at a position, if any, and the last position of that range or gap.
    fn find(&self, at: &Bv) -> (Option<&Cells>, Bv) {
        let mut next = self.root.as_deref();
        let mut last = Bv::ones(self.index_width);
        while let Some(node) = next {
            let range = &node.range;
            if at.ult(&range.first) {
                last = range.first.sub(&Bv::one(self.index_width));
                next = node.left.as_deref();
            } else if range.last.ult(at) {
                next = node.right.as_deref();
            } else {
                return (Some(&range.cells), range.last.clone());
            }
        }
        (None, last)
    }

    /// Positions and values as stretches `first, last, value` that cover everything, in order.
    pub fn stretches(&self) -> Vec<(Bv, Bv, Bv)> {
        let mut out = Vec::new();
        let mut at = Bv::zero(self.index_width);
        loop {
            let (value, last) = self.stretch(&at);
            let done = last.is_ones();
            let next = last.add(&Bv::one(self.index_width));
            out.push((at, last, value));
            if done {
                return out;
            }
            at = next;
        }
    }

    /// Whether both hold the same everywhere.
    pub fn same(&self, other: &Self) -> bool {
        self.index_width == other.index_width
            && self.default.width() == other.default.width()
            && first_difference(self, other, &Bv::zero(self.index_width)).is_none()
    }

    /// The array with `value` at the positions from `off` on, `len` of them, wrapping around.
    pub fn filled(&self, off: &Bv, value: &Bv, len: &Bv) -> Self {
        self.covered(off, len, &Cells::Same(value.clone()))
    }

    /// The array with the positions from `off` on, `len` of them, showing `src` from `src_off` on, wrapping around.
    pub fn copied(&self, off: &Bv, (src, src_off): (&Self, &Bv), len: &Bv) -> Self {
        // Few pieces are copied; many are shown, which nests one array in the other.
        let Some(pieces) = src.pieces(src_off, len) else {
            return self.covered(off, len, &Cells::View(src.clone(), src_off.sub(off)));
        };
        let mut out = self.clone();
        let mut at = off.clone();
        for (length, value) in pieces {
            out = out.covered(&at, &length, &Cells::Same(value));
            at = at.add(&length);
        }
        out
    }

    /// The lengths and values of the stretches from `off` on, `len` cells in all, wrapping around; none if they are many.
    fn pieces(&self, off: &Bv, len: &Bv) -> Option<Vec<(Bv, Bv)>> {
        let mut out = Vec::new();
        let mut left = len.clone();
        let mut at = off.clone();
        while !left.is_zero() {
            if out.len() == COPIED_PIECES {
                return None;
            }
            let (value, last) = self.stretch(&at);
            let whole = last.sub(&at).add(&Bv::one(self.index_width));
            // A stretch of everything has length zero, modulo the index.
            let length = if whole.is_zero() { left.clone() } else { whole.min(left.clone()) };
            left = left.sub(&length);
            at = at.add(&length);
            out.push((length, value));
        }
        Some(out)
    }

    fn covered(&self, off: &Bv, len: &Bv, cells: &Cells) -> Self {
        let mut out = self.clone();
        if len.is_zero() {
            return out;
        }
        let last = off.add(len).sub(&Bv::one(self.index_width));
        let pieces = if last.ult(off) {
            vec![(off.clone(), Bv::ones(self.index_width)), (Bv::zero(self.index_width), last)]
        } else {
            vec![(off.clone(), last)]
        };
        for (first, last) in pieces {
            let cells = cells.clone();
            out.root = put(&out.root, Range { first, last, cells });
        }
        out
    }

    /// The least `n` below `limit` with `value` at `off + n`, else `limit`.
    pub fn scan(&self, off: &Bv, value: &Bv, limit: &Bv) -> Bv {
        first_below(limit, |n| {
            let at = off.add(n);
            let (here, last) = self.stretch(&at);
            (here == *value, last.sub(&at))
        })
    }

    /// The least `n` below `limit` where `off + n` differs from the other array at its offset plus `n`, else `limit`.
    pub fn mismatch(&self, off: &Bv, (other, other_off): (&Self, &Bv), limit: &Bv) -> Bv {
        first_below(limit, |n| {
            let (i, j) = (off.add(n), other_off.add(n));
            let ((x, x_last), (y, y_last)) = (self.stretch(&i), other.stretch(&j));
            (x != y, x_last.sub(&i).min(y_last.sub(&j)))
        })
    }
}

/// The least `n` below `limit` where `probe` says yes, else `limit`; `probe` also says for how many more steps its answer stays the same.
fn first_below(limit: &Bv, probe: impl Fn(&Bv) -> (bool, Bv)) -> Bv {
    let one = Bv::one(limit.width());
    let mut n = Bv::zero(limit.width());
    while n.ult(limit) {
        let (hit, more) = probe(&n);
        if hit {
            return n;
        }
        if limit.sub(&n).ule(&more) {
            break;
        }
        n = n.add(&more).add(&one);
        if n.is_zero() {
            break;
        }
    }
    limit.clone()
}

fn first_difference(a: &ArrayValue, b: &ArrayValue, from: &Bv) -> Option<Bv> {
    let mut at = from.clone();
    loop {
        let ((x, x_last), (y, y_last)) = (a.stretch(&at), b.stretch(&at));
        if x != y {
            return Some(at);
        }
        let last = x_last.min(y_last);
        if last.is_ones() {
            return None;
        }
        at = last.add(&Bv::one(last.width()));
    }
}

/// The tree with this range on top of whatever was there.
fn put(root: &Tree, range: Range) -> Tree {
    let one = Bv::one(range.first.width());
    let (left, rest) = split(root, &range.first);
    let (covered, mut right) = if range.last.is_ones() { (rest, None) } else { split(&rest, &range.last.add(&one)) };
    // The last range that starts before the end may reach beyond it.
    let tail = rightmost(&covered).or_else(|| rightmost(&left));
    if let Some(tail) = tail
        && range.last.ult(&tail.last)
    {
        let piece = Range { first: range.last.add(&one), ..tail };
        right = join(&leaf(piece), &right);
    }
    let left = cut_right(&left, &range.first);
    join(&join(&left, &leaf(range)), &right)
}

/// The rightmost range ends before `first`.
fn cut_right(root: &Tree, first: &Bv) -> Tree {
    match rightmost(root) {
        Some(range) if !range.last.ult(first) => {
            let (rest, _) = split(root, &range.first);
            let last = first.sub(&Bv::one(first.width()));
            join(&rest, &leaf(Range { last, ..range }))
        }
        _ => root.clone(),
    }
}

fn leaf(range: Range) -> Tree {
    let mut hasher = DefaultHasher::new();
    range.first.hash(&mut hasher);
    Some(Arc::new(Node { priority: hasher.finish(), range, left: None, right: None }))
}

fn rightmost(root: &Tree) -> Option<Range> {
    let mut node = root.as_deref()?;
    while let Some(right) = node.right.as_deref() {
        node = right;
    }
    Some(node.range.clone())
}

fn with_children(node: &Node, left: Tree, right: Tree) -> Tree {
    Some(Arc::new(Node { range: node.range.clone(), priority: node.priority, left, right }))
}

/// Ranges that start below `at`, and the others. The recursion is as deep as the tree, which is balanced.
fn split(root: &Tree, at: &Bv) -> (Tree, Tree) {
    let Some(node) = root.as_deref() else {
        return (None, None);
    };
    if node.range.first.ult(at) {
        let (middle, right) = split(&node.right, at);
        (with_children(node, node.left.clone(), middle), right)
    } else {
        let (left, middle) = split(&node.left, at);
        (left, with_children(node, middle, node.right.clone()))
    }
}

/// All ranges of `a`, which lie before all ranges of `b`.
fn join(a: &Tree, b: &Tree) -> Tree {
    let (Some(x), Some(y)) = (a.as_deref(), b.as_deref()) else {
        return a.clone().or_else(|| b.clone());
    };
    if x.priority >= y.priority {
        with_children(x, x.left.clone(), join(&x.right, b))
    } else {
        with_children(y, join(a, &y.left), y.right.clone())
    }
}

impl PartialEq for ArrayValue {
    fn eq(&self, other: &Self) -> bool {
        self.same(other)
    }
}

impl Eq for ArrayValue {}

/// The default and the stretches that differ from it.
impl std::fmt::Debug for ArrayValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[default {}", self.default)?;
        for (first, last, value) in self.stretches() {
            if value == self.default {
                continue;
            }
            if first == last {
                write!(f, ", {first}: {value}")?;
            } else {
                write!(f, ", {first}..{last}: {value}")?;
            }
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The range tree against a plain table, over random operations on 16 cells.
    #[test]
    fn agrees_with_a_plain_table() {
        let bv = |v: u64| Bv::from_u64(4, v);
        let mut seed = 12345u64;
        let mut next = |n: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed % n
        };
        let mut array = ArrayValue::new(4, Bv::zero(8));
        let mut table = [0u64; 16];
        let mut old = (array.clone(), table);
        for step in 0..3000 {
            let (at, len, value, from) = (next(16), next(16), next(3), next(16));
            match next(4) {
                0 | 1 => {
                    array.set(bv(at), Bv::from_u64(8, value));
                    table[at as usize] = value;
                }
                2 => {
                    array = array.filled(&bv(at), &Bv::from_u64(8, value), &bv(len));
                    (0..len).for_each(|k| table[((at + k) % 16) as usize] = value);
                }
                _ => {
                    array = array.copied(&bv(at), (&old.0, &bv(from)), &bv(len));
                    (0..len).for_each(|k| {
                        table[((at + k) % 16) as usize] = old.1[((from + k) % 16) as usize];
                    });
                }
            }
            for (i, &cell) in table.iter().enumerate() {
                assert_eq!(array.get(&bv(i as u64)).to_u64(), Some(cell));
            }
            let expected = (0..len).find(|k| table[((at + k) % 16) as usize] == value);
            assert_eq!(array.scan(&bv(at), &Bv::from_u64(8, value), &bv(len)), bv(expected.unwrap_or(len)));
            let differs = |&k: &u64| table[((at + k) % 16) as usize] != old.1[((from + k) % 16) as usize];
            assert_eq!(
                array.mismatch(&bv(at), (&old.0, &bv(from)), &bv(len)),
                bv((0..len).find(differs).unwrap_or(len))
            );
            assert_eq!(array == old.0, table == old.1);
            if step % 7 == 0 {
                // Flattened now and then, since each copy nests the one before.
                let mut flat = ArrayValue::new(4, Bv::zero(8));
                for (first, _, value) in array.stretches() {
                    let last = array.stretch(&first).1;
                    let len = last.sub(&first).add(&bv(1));
                    flat = if len.is_zero() { ArrayValue::new(4, value) } else { flat.filled(&first, &value, &len) };
                }
                assert!(flat == array);
                old = (flat.clone(), table);
                array = flat;
            }
        }
    }
}
