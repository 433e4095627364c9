//! Strongly connected components of a graph, by Tarjan's algorithm without recursion.

/// The components of a graph of numbered nodes: what a component leads to comes before it.
pub fn components(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let n = successors.len();
    let mut state = Tarjan {
        index: vec![0; n],
        low: vec![0; n],
        open: vec![false; n],
        stack: Vec::new(),
        walk: Vec::new(),
        clock: 0,
    };
    let mut found = Vec::new();
    for root in 0..n {
        if state.index[root] == 0 {
            state.enter(root);
        }
        while let Some((node, next)) = state.walk.last_mut() {
            let node = *node;
            if let Some(&to) = successors[node].get(*next) {
                *next += 1;
                state.edge(node, to);
            } else {
                found.extend(state.leave());
            }
        }
    }
    found
}

struct Tarjan {
    /// 0 is unvisited.
    index: Vec<u32>,
    low: Vec<u32>,
    open: Vec<bool>,
    stack: Vec<usize>,
    walk: Vec<(usize, usize)>,
    clock: u32,
}

impl Tarjan {
    fn enter(&mut self, node: usize) {
        self.clock += 1;
        self.index[node] = self.clock;
        self.low[node] = self.clock;
        self.open[node] = true;
        self.stack.push(node);
        self.walk.push((node, 0));
    }

    fn edge(&mut self, from: usize, to: usize) {
        if self.index[to] == 0 {
            self.enter(to);
        } else if self.open[to] {
            self.low[from] = self.low[from].min(self.index[to]);
        }
    }

    /// Leaves the last node of the walk; gives its component if it is the root of one.
    fn leave(&mut self) -> Option<Vec<usize>> {
        let (node, _) = self.walk.pop()?;
        if let Some(&(up, _)) = self.walk.last() {
            self.low[up] = self.low[up].min(self.low[node]);
        }
        if self.low[node] != self.index[node] {
            return None;
        }
        let from = self.stack.iter().rposition(|&x| x == node)?;
        let members = self.stack.split_off(from);
        members.iter().for_each(|&m| self.open[m] = false);
        Some(members)
    }
}
