//! Ids of what an execution makes, one type per entity.

use blitz_analysis::Region;
use blitz_base::ids::id_type;

id_type!(
    /// An object of the program, by the number that pointers to it have above; 0 is no object.
    #[derive(Default)]
    ObjectNo,
    ""
);

id_type!(
    /// An activation, the same whenever it is run (`Names`).
    #[derive(Default)]
    ActivationNo,
    ""
);

id_type!(
    /// An activation that a segment ran, unique in a whole search.
    FrameNo,
    ""
);

id_type!(
    /// An instruction that was executed in a segment, unique in a whole search.
    #[derive(Default)]
    OccurrenceNo,
    ""
);

id_type!(
    /// By which a policy knows a call that is made, or the activation that it makes.
    #[derive(Default)]
    Mark,
    ""
);

impl ObjectNo {
    /// Of a number as it stands in pointers.
    pub fn of(number: u64) -> Self {
        Self(u32::try_from(number).expect("an object's number should fit in 32 bits"))
    }

    /// The number as it stands in pointers.
    pub fn number(self) -> u64 {
        u64::from(self.0)
    }
}

/// By which memory knows what holds bytes: an object of the execution's own, or what stands for objects from outside of
/// a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Holder {
    Object(ObjectNo),
    Region(Region),
}

impl Holder {
    /// What null points to.
    pub const NONE: Holder = Holder::Object(ObjectNo(0));

    /// The object's number, if it is one of the execution's own.
    pub fn object(self) -> Option<ObjectNo> {
        match self {
            Holder::Object(number) => Some(number),
            Holder::Region(_) => None,
        }
    }
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Holder::Object(number) => write!(f, "{number}"),
            Holder::Region(region) => write!(f, "R{region}"),
        }
    }
}

impl From<ObjectNo> for Holder {
    fn from(number: ObjectNo) -> Self {
        Holder::Object(number)
    }
}

impl From<Region> for Holder {
    fn from(region: Region) -> Self {
        Holder::Region(region)
    }
}
