//! Variables by activity, the most active first; among equals the one with the smaller number.

const ABSENT: u32 = u32::MAX;

/// A binary heap that knows where each variable is.
#[derive(Default)]
pub struct Heap {
    heap: Vec<u32>,
    place: Vec<u32>,
    activity: Vec<f64>,
}

impl Heap {
    pub fn add_var(&mut self) {
        self.place.push(ABSENT);
        self.activity.push(0.0);
    }

    /// Whether the variable's activity was ever raised, and not long ago.
    pub fn is_active(&self, var: u32) -> bool {
        self.activity[var as usize] > 0.0
    }

    fn before(&self, a: u32, b: u32) -> bool {
        let (x, y) = (self.activity[a as usize], self.activity[b as usize]);
        x > y || (x == y && a < b)
    }

    pub fn insert(&mut self, var: u32) {
        if self.place[var as usize] == ABSENT {
            self.place[var as usize] = self.heap.len() as u32;
            self.heap.push(var);
            self.up(self.heap.len() - 1);
        }
    }

    pub fn pop(&mut self) -> Option<u32> {
        let top = *self.heap.first()?;
        let last = self.heap.pop()?;
        self.place[top as usize] = ABSENT;
        if last != top {
            self.heap[0] = last;
            self.place[last as usize] = 0;
            self.down(0);
        }
        Some(top)
    }

    /// Raises an activity; true if all had to be scaled down, by 1e-100.
    pub fn bump(&mut self, var: u32, by: f64) -> bool {
        self.activity[var as usize] += by;
        let scaled = self.activity[var as usize] > 1e100;
        if scaled {
            self.activity.iter_mut().for_each(|a| *a *= 1e-100);
        }
        let place = self.place[var as usize];
        if place != ABSENT {
            self.up(place as usize);
        }
        scaled
    }

    fn set(&mut self, at: usize, var: u32) {
        self.heap[at] = var;
        self.place[var as usize] = at as u32;
    }

    fn up(&mut self, mut at: usize) {
        let var = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            if !self.before(var, self.heap[parent]) {
                break;
            }
            self.set(at, self.heap[parent]);
            at = parent;
        }
        self.set(at, var);
    }

    fn down(&mut self, mut at: usize) {
        let var = self.heap[at];
        loop {
            let left = 2 * at + 1;
            if left >= self.heap.len() {
                break;
            }
            let right = left + 1;
            let child =
                if right < self.heap.len() && self.before(self.heap[right], self.heap[left]) { right } else { left };
            if !self.before(self.heap[child], var) {
                break;
            }
            self.set(at, self.heap[child]);
            at = child;
        }
        self.set(at, var);
    }
}
