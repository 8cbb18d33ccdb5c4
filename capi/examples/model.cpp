// Loads a model as an engine would: bytes from its own file system, interleaved vertices, a pose, a .glb. C++17.
//
//     c++ -std=c++17 model.cpp -lmeshpeek && ./a.out model.b3d out.glb images/
//
// The result is a .glb, .obj or .ply, or a picture (.png).

#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "meshpeek.h"

namespace {

// Handles that free themselves.
template <typename T, void (*Free)(T *)> struct Freed {
    void operator()(T *handle) const { Free(handle); }
};
using Asset = std::unique_ptr<meshpeek_asset, Freed<meshpeek_asset, meshpeek_close>>;
using Model = std::unique_ptr<meshpeek_model, Freed<meshpeek_model, meshpeek_model_free>>;
using Mesh = std::unique_ptr<meshpeek_mesh, Freed<meshpeek_mesh, meshpeek_mesh_free>>;
using Rig = std::unique_ptr<meshpeek_rig, Freed<meshpeek_rig, meshpeek_rig_free>>;
using Error = std::unique_ptr<meshpeek_error, Freed<meshpeek_error, meshpeek_error_free>>;

// The error is passed by reference, because arguments are evaluated in any order.
void check(meshpeek_status status, meshpeek_error *&error) {
    if (status != MESHPEEK_STATUS_OK) {
        Error owned(error);
        throw std::runtime_error(meshpeek_error_message(owned.get()));
    }
}

struct Vertex {
    float position[3];
    float normal[3];
    float uv[2];
};

int64_t read_stream(void *user, uint8_t *buffer, size_t size) {
    auto &stream = *static_cast<std::ifstream *>(user);
    stream.read(reinterpret_cast<char *>(buffer), static_cast<std::streamsize>(size));
    return stream.bad() ? -1 : static_cast<int64_t>(stream.gcount());
}

int32_t append(void *user, const uint8_t *data, size_t size) {
    static_cast<std::string *>(user)->append(reinterpret_cast<const char *>(data), size);
    return 0;
}

struct Images {
    std::string folder;
    std::string last;
};

// Takes the last component only, because the name of a texture may be any path.
int32_t find_image(void *user, const meshpeek_texture *texture, bool, meshpeek_image *image) {
    auto &images = *static_cast<Images *>(user);
    const std::string name = texture->name;
    std::ifstream stream(images.folder + "/" + name.substr(name.find_last_of("/\\:") + 1), std::ios::binary);
    if (!stream) {
        return 1;
    }
    images.last.assign(std::istreambuf_iterator<char>(stream), {});
    image->data = reinterpret_cast<const uint8_t *>(images.last.data());
    image->size = images.last.size();
    return 0;
}

Asset open(const char *path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        throw std::runtime_error("cannot open the file");
    }
    meshpeek_asset *asset = nullptr;
    meshpeek_error *error = nullptr;
    check(meshpeek_open_callback(read_stream, &stream, path, nullptr, &asset, &error), error);
    return Asset(asset);
}

void print_mesh(const meshpeek_mesh *mesh) {
    meshpeek_mesh_info info;
    meshpeek_mesh_describe(mesh, &info);
    std::vector<Vertex> vertices(info.vertices);
    std::vector<uint32_t> indices(info.indices);
    const size_t size = vertices.size() * sizeof(Vertex);
    meshpeek_error *error = nullptr;
    const auto read = [&](meshpeek_attribute attribute, size_t offset) {
        auto *first = reinterpret_cast<uint8_t *>(vertices.data()) + offset;
        check(meshpeek_mesh_read(mesh, attribute, 0, first, size - offset, sizeof(Vertex), &error), error);
    };
    if (!vertices.empty()) {
        read(MESHPEEK_ATTRIBUTE_POSITION, offsetof(Vertex, position));
        if (info.has_normals) {
            read(MESHPEEK_ATTRIBUTE_NORMAL, offsetof(Vertex, normal));
        }
        if (info.uv_sets > 0) {
            read(MESHPEEK_ATTRIBUTE_UV, offsetof(Vertex, uv));
        }
    }
    if (!indices.empty()) {
        check(meshpeek_mesh_read(mesh, MESHPEEK_ATTRIBUTE_INDEX, 0, indices.data(), indices.size() * 4, 4, &error), error);
    }
    double sum = 0;
    for (const Vertex &vertex : vertices) {
        sum += vertex.position[0] + vertex.position[1] + vertex.position[2];
    }
    std::printf("mesh %zu vertices, %zu triangles, sum %.9g", vertices.size(), indices.size() / 3, sum);
    for (size_t index = 0; index < info.texture_count; index++) {
        std::printf(" %s", info.textures[index].name);
    }
    std::printf("\n");
}

void print_rig(const meshpeek_rig *rig) {
    const size_t bones = meshpeek_rig_bone_count(rig);
    std::vector<float> matrices(bones * 16);
    meshpeek_error *error = nullptr;
    for (size_t index = 0; index < meshpeek_rig_clip_count(rig); index++) {
        meshpeek_clip clip;
        meshpeek_rig_clip(rig, index, &clip);
        check(meshpeek_rig_pose(rig, static_cast<int64_t>(index), clip.seconds / 2, MESHPEEK_POSE_SPACE_SKIN,
                                matrices.data(), bones, &error),
              error);
        std::printf("clip %s %g s, %zu bones\n", clip.name, static_cast<double>(clip.seconds), bones);
    }
}

} // namespace

int main(int argc, char **argv) try {
    if (meshpeek_abi() != MESHPEEK_ABI || argc < 2) {
        std::fprintf(stderr, "usage: model FILE [OUT.glb [IMAGES]], with the library of this header\n");
        return 2;
    }
    const Asset asset = open(argv[1]);
    meshpeek_error *error = nullptr;
    meshpeek_model *opened = nullptr;
    check(meshpeek_model_open(asset.get(), &opened, &error), error);
    const Model model(opened);
    for (size_t index = 0; index < meshpeek_model_mesh_count(model.get()); index++) {
        meshpeek_mesh *mesh = nullptr;
        check(meshpeek_mesh_open(model.get(), index, &mesh, &error), error);
        print_mesh(Mesh(mesh).get());
    }
    meshpeek_rig *rig = nullptr;
    if (meshpeek_rig_open(asset.get(), 0, &rig, nullptr) == MESHPEEK_STATUS_OK) {
        print_rig(Rig(rig).get());
    }
    if (argc > 2) {
        const std::string path = argv[2];
        Images images;
        meshpeek_export_options options = meshpeek_export_options_default();
        if (argc > 3) {
            images.folder = argv[3];
            options.images = find_image;
            options.images_user = &images;
        }
        std::string file;
        const std::string form = path.substr(path.rfind('.') + 1);
        check(meshpeek_export(asset.get(), form.c_str(), &options, append, &file, &error), error);
        std::ofstream(path, std::ios::binary) << file;
    }
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
