class CfgVehicles {
    class Base;
    class House: Base {
        model = QPATHTOF(house.p3d);
        icon = "\my\main\data\house_co.tga";
        picture = ICON(house.paa);
        hiddenSelections[] = {"camo"};
        hiddenSelectionsTextures[] = {QPATHTOF(data\house_co.paa), "#(argb,8,8,3)color(1,1,1,1)"};
        hiddenSelectionsMaterials[] += {QPATHTOEF(props,data\metal.rvmat)};
    };
};
