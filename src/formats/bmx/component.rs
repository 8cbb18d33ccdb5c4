//! The game's built-in components. The list is not in the specification; both programs that write maps have the same
//! one.

/// The number of a component, which selects the game's model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Component(pub u32);

impl Component {
    /// The known components and their names.
    pub(crate) const KNOWN: &'static [(i64, &'static str)] = &[
        (0, "P_Extra_Life"),
        (1, "P_Extra_Point"),
        (2, "P_Trafo_Paper"),
        (3, "P_Trafo_Stone"),
        (4, "P_Trafo_Wood"),
        (5, "P_Ball_Paper"),
        (6, "P_Ball_Stone"),
        (7, "P_Ball_Wood"),
        (8, "P_Box"),
        (9, "P_Dome"),
        (10, "P_Modul_01"),
        (11, "P_Modul_03"),
        (12, "P_Modul_08"),
        (13, "P_Modul_17"),
        (14, "P_Modul_18"),
        (15, "P_Modul_19"),
        (16, "P_Modul_25"),
        (17, "P_Modul_26"),
        (18, "P_Modul_29"),
        (19, "P_Modul_30"),
        (20, "P_Modul_34"),
        (21, "P_Modul_37"),
        (22, "P_Modul_41"),
        (23, "PC_TwoFlames"),
        (24, "PE_Balloon"),
        (25, "PR_Resetpoint"),
        (26, "PS_FourFlames"),
    ];

    /// Returns its name if it is known. Names of objects of this component start with it.
    ///
    /// ```
    /// assert_eq!(meshpeek::bmx::Component(9).name(), Some("P_Dome"));
    /// ```
    pub fn name(self) -> Option<&'static str> {
        Self::KNOWN.get(usize::try_from(self.0).ok()?).map(|(_, name)| *name)
    }
}
