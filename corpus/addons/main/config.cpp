#include "script_component.hpp"
class CfgPatches {
    class my_main { requiredAddons[] = {}; };
};
#include "CfgVehicles.hpp"
class CfgSounds {
    class Door { sound[] = {"\my\main\data\door.ogg", 1, 1}; };
};
