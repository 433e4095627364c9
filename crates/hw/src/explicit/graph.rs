//! Strongly connected components (Tarjan 1972, without recursion).

/// Whether a component that is reachable from `initial`, and in which a step stays, meets each of the conditions in one of its nodes.
pub fn fair_component(
    nodes: usize,
    initial: &[usize],
    successors: impl Fn(usize) -> Vec<usize>,
    conditions: usize,
    met: impl Fn(usize, usize) -> bool,
) -> bool {
    let mut search = Search {
        index: vec![None; nodes],
        low: vec![0; nodes],
        on_stack: vec![false; nodes],
        stack: Vec::new(),
        next: 0,
    };
    for &root in initial {
        if search.index[root].is_none()
            && search.from(root, &successors, |component, loops| {
                loops && (0..conditions).all(|c| component.iter().any(|&n| met(n, c)))
            })
        {
            return true;
        }
    }
    false
}

struct Search {
    index: Vec<Option<usize>>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    next: usize,
}

/// A node whose successors are being looked at.
struct Frame {
    node: usize,
    successors: Vec<usize>,
    at: usize,
}

impl Search {
    fn enter(&mut self, node: usize, successors: &impl Fn(usize) -> Vec<usize>) -> Frame {
        self.index[node] = Some(self.next);
        self.low[node] = self.next;
        self.next += 1;
        self.stack.push(node);
        self.on_stack[node] = true;
        Frame { node, successors: successors(node), at: 0 }
    }

    /// Whether a component found from here is wanted. `wanted` gets the component, and whether a step stays in it.
    fn from(
        &mut self,
        root: usize,
        successors: &impl Fn(usize) -> Vec<usize>,
        wanted: impl Fn(&[usize], bool) -> bool,
    ) -> bool {
        let mut frames = vec![self.enter(root, successors)];
        while let Some(frame) = frames.last_mut() {
            if let Some(&next) = frame.successors.get(frame.at) {
                frame.at += 1;
                let node = frame.node;
                match self.index[next] {
                    None => frames.push(self.enter(next, successors)),
                    Some(index) if self.on_stack[next] => self.low[node] = self.low[node].min(index),
                    Some(_) => {}
                }
                continue;
            }
            let frame = frames.pop().expect("a frame should be there");
            if let Some(below) = frames.last() {
                self.low[below.node] = self.low[below.node].min(self.low[frame.node]);
            }
            if self.index[frame.node] == Some(self.low[frame.node]) {
                let component = self.leave(frame.node);
                let loops = component.len() > 1 || frame.successors.contains(&frame.node);
                if wanted(&component, loops) {
                    return true;
                }
            }
        }
        false
    }

    fn leave(&mut self, root: usize) -> Vec<usize> {
        let mut component = Vec::new();
        loop {
            let node = self.stack.pop().expect("the root should be on the stack");
            self.on_stack[node] = false;
            component.push(node);
            if node == root {
                return component;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_reachable_components_with_a_step_count() {
        let edges: [&[usize]; 5] = [&[1], &[2], &[1], &[3], &[]];
        let next = |n: usize| edges[n].to_vec();
        assert!(fair_component(5, &[0], next, 1, |n, _| n == 2));
        assert!(!fair_component(5, &[0], next, 1, |n, _| n == 0));
        assert!(!fair_component(5, &[0], next, 1, |n, _| n == 3));
        assert!(fair_component(5, &[3], next, 0, |_, _| false));
        assert!(!fair_component(5, &[4], next, 0, |_, _| false));
    }
}
