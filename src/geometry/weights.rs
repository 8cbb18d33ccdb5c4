//! The joints that move each vertex.

/// The influence of a joint on a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
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
        let mut starts = vec![0_usize; vertices.saturating_add(1)];
        for (vertex, influence) in influences() {
            if is_left_out(vertex, &influence, vertices) {
                continue;
            }
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
        for (vertex, influence) in influences() {
            if is_left_out(vertex, &influence, vertices) {
                continue;
            }
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
        let Some(next) = vertex.checked_add(1) else { return &[] };
        let (Some(&start), Some(&end)) = (self.starts.get(vertex), self.starts.get(next)) else { return &[] };
        self.all.get(start..end).unwrap_or_default()
    }

    /// Returns the four strongest influences on a vertex, in descending order, scaled so that their weights sum to 1.
    /// Blitz3D and graphics cards use four. All have weight 0 if no joint moves the vertex.
    pub fn strongest(&self, vertex: usize) -> [Influence; 4] {
        let none = Influence { joint: 0, weight: 0.0 };
        let mut best = [none; 4];
        for &influence in self.of(vertex) {
            if influence.weight.is_finite() && influence.weight > 0.0 {
                insert(&mut best, influence);
            }
        }
        let sum: f32 = best.iter().map(|one| one.weight).sum();
        if sum > 0.0 && sum.is_finite() {
            for one in &mut best {
                one.weight /= sum;
            }
        }
        best
    }
}

/// Inserts an influence into a list in descending order, unless all are stronger.
#[inline]
fn insert(best: &mut [Influence; 4], mut influence: Influence) {
    for place in best {
        if influence.weight > place.weight {
            std::mem::swap(place, &mut influence);
        }
    }
}

#[inline]
fn is_left_out(vertex: usize, influence: &Influence, vertices: usize) -> bool {
    vertex >= vertices || influence.weight == 0.0
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
