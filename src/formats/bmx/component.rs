//! The game's built-in components. The list is not in the specification; both programs that write maps have the same
//! one.

use crate::record::codes::codes;

codes! {
    /// The number of a component, which selects the game's model. Names of objects of a component start with its name.
    ///
    /// ```
    /// assert_eq!(meshpeek::bmx::Component(9).name(), Some("P_Dome"));
    /// ```
    Component(u32) {
        0 "P_Extra_Life", 1 "P_Extra_Point", 2 "P_Trafo_Paper", 3 "P_Trafo_Stone", 4 "P_Trafo_Wood", 5 "P_Ball_Paper",
        6 "P_Ball_Stone", 7 "P_Ball_Wood", 8 "P_Box", 9 "P_Dome", 10 "P_Modul_01", 11 "P_Modul_03", 12 "P_Modul_08",
        13 "P_Modul_17", 14 "P_Modul_18", 15 "P_Modul_19", 16 "P_Modul_25", 17 "P_Modul_26", 18 "P_Modul_29",
        19 "P_Modul_30", 20 "P_Modul_34", 21 "P_Modul_37", 22 "P_Modul_41", 23 "PC_TwoFlames", 24 "PE_Balloon",
        25 "PR_Resetpoint", 26 "PS_FourFlames",
    }
}
