fn main() {
    println!("cargo:rerun-if-changed=src/assimp.cpp");
    cc::Build::new().cpp(true).file("src/assimp.cpp").compile("assimp_shim");
    println!("cargo:rustc-link-lib=assimp");
    println!("cargo:rustc-link-lib=lzo2");
}
