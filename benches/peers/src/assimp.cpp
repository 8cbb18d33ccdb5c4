// Assimp's importer without post-processing, behind one C function.

#include <assimp/Importer.hpp>
#include <assimp/scene.h>
#include <cstdint>

// The vertices of all meshes, which are more than stored where triangles share them; 0 where the file is not read.
extern "C" uint64_t assimp_vertices(const char *path) {
    Assimp::Importer importer;
    const aiScene *scene = importer.ReadFile(path, 0);
    uint64_t vertices = 0;
    for (unsigned mesh = 0; scene && mesh < scene->mNumMeshes; mesh++) {
        vertices += scene->mMeshes[mesh]->mNumVertices;
    }
    return vertices;
}
