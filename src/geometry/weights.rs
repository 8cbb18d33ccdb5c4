//! The joints that move each vertex.

/// The influence of a joint on a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Influence {
    /// The index of the joint among the [bones](crate::pose::Rig::bones) of the model.
    pub joint: u32,
    /// The weight as stored. Those of a vertex usually sum to 1.
    pub weight: f32,
}

/// The joints that move each vertex. Weights of 0 are left out.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    /// The start of each vertex's influences, and the end of the last.
    starts: Vec<usize>,
    all: Vec<Influence>,
}

impl Weights {
    /// Creates weights from influences in any order, with two passes. Influences on missing vertices are left out.
    pub(crate) fn new<I: Iterator<Item = (usize, Influence)>>(vertices: usize, influences: impl Fn() -> I) -> Self {
        let counted = || influences().filter(|(vertex, one)| *vertex < vertices && one.weight != 0.0);
        let mut starts = vec![0_usize; vertices.saturating_add(1)];
        for (vertex, _) in counted() {
            if let Some(count) = starts.get_mut(vertex.saturating_add(1)) {
                *count = count.saturating_add(1);
            }
        }
        let mut sum = 0_usize;
        for start in &mut starts {
            sum = sum.saturating_add(*start);
            *start = sum;
        }
        let mut all = vec![Influence { joint: 0, weight: 0.0 }; sum];
        let mut next = starts.clone();
        for (vertex, influence) in counted() {
            if let Some(at) = next.get_mut(vertex) {
                if let Some(place) = all.get_mut(*at) {
                    *place = influence;
                }
                *at = at.saturating_add(1);
            }
        }
        Self { starts, all }
    }

    /// Returns the number of vertices.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the influences on a vertex, in the order of the file. Empty if the vertex is out of range.
    pub fn of(&self, vertex: usize) -> &[Influence] {
        let place = || Some(*self.starts.get(vertex)?..*self.starts.get(vertex.checked_add(1)?)?);
        place().and_then(|range| self.all.get(range)).unwrap_or_default()
    }

    /// Returns the four strongest influences on a vertex, in descending order, scaled so that their weights sum to 1.
    /// Blitz3D and graphics cards use four. All have weight 0 if no joint moves the vertex.
    pub fn strongest(&self, vertex: usize) -> [Influence; 4] {
        let none = Influence { joint: 0, weight: 0.0 };
        let mut best = [none; 4];
        for &influence in self.of(vertex).iter().filter(|one| one.weight.is_finite() && one.weight > 0.0) {
            let mut insert = influence;
            for place in &mut best {
                if insert.weight > place.weight {
                    std::mem::swap(place, &mut insert);
                }
            }
        }
        let sum: f32 = best.iter().map(|one| one.weight).sum();
        if sum > 0.0 && sum.is_finite() {
            best.iter_mut().for_each(|one| one.weight /= sum);
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn influences_come_by_vertex_and_the_strongest_four_sum_to_one() {
        let one = |vertex, joint, weight| (vertex, Influence { joint, weight });
        let list = [one(1, 7, 0.5), one(0, 1, 0.0), one(1, 8, 1.0), one(9, 1, 1.0), one(1, 9, 0.1), one(1, 4, 0.2)];
        let more = [one(1, 5, 0.3), one(1, 6, f32::NAN)];
        let weights = Weights::new(3, || list.into_iter().chain(more));
        assert_eq!(weights.len(), 3);
        assert!(weights.of(0).is_empty() && weights.of(2).is_empty() && weights.of(3).is_empty());
        assert_eq!(weights.of(1).iter().map(|one| one.joint).collect::<Vec<_>>(), [7, 8, 9, 4, 5, 6]);
        let strongest = weights.strongest(1);
        assert_eq!(strongest.map(|one| one.joint), [8, 7, 5, 4]);
        assert!((strongest.iter().map(|one| one.weight).sum::<f32>() - 1.0).abs() < 1e-6);
        assert_eq!(weights.strongest(0).map(|one| one.weight), [0.0; 4]);
    }
}
