//! Links the libraries of the features. Cargo sets a variable for each.

fn main() {
    println!("cargo:rerun-if-changed=src/assimp.cpp");
    #[cfg(feature = "assimp")]
    {
        cc::Build::new().cpp(true).file("src/assimp.cpp").compile("assimp_shim");
        println!("cargo:rustc-link-lib=assimp");
    }
    #[cfg(feature = "lzo2")]
    println!("cargo:rustc-link-lib=lzo2");
}
