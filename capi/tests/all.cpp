// Calls everything on every file that is named, from two threads with one handle. Status 1 if a call reports a fault of
// the library.

#include <atomic>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "meshpeek.h"

namespace {

std::atomic<int> faults{0};
std::atomic<int> releases{0};
std::atomic<unsigned> sums{0};
const char *current = "";

// The error is passed by reference, because arguments are evaluated in any order.
bool is_done(meshpeek_status status, meshpeek_error *&error) {
    if (status == MESHPEEK_STATUS_OK) {
        return true;
    }
    uint64_t offset = 0;
    meshpeek_error_offset(error, &offset);
    if (status == MESHPEEK_STATUS_INTERNAL || std::strlen(meshpeek_error_message(error)) == 0) {
        std::fprintf(stderr, "%s: %s\n", current, meshpeek_error_message(error));
        ++faults;
    }
    meshpeek_error_free(error);
    return false;
}

int32_t add_selector(void *user, const meshpeek_array_info *array) {
    auto &list = *static_cast<std::vector<std::string> *>(user);
    list.push_back(array->selector);
    return list.size() >= 200;
}

int32_t add_member(void *user, const meshpeek_member *member) {
    auto &list = *static_cast<std::vector<std::string> *>(user);
    list.push_back(member->name);
    return list.size() >= 50;
}

int32_t ignore(void *, const uint8_t *, size_t) { return 0; }
int32_t stop(void *, const uint8_t *, size_t) { return 1; }

// Each answer a caller may give, in turn: nothing, pixels, a size that contradicts them, a file that is none.
int32_t find_image(void *user, const meshpeek_texture *texture, bool, meshpeek_image *image) {
    static const std::vector<uint8_t> pixels(3000 * 5 * 4, 200);
    auto &calls = *static_cast<unsigned *>(user);
    faults += texture->name == nullptr || image->data != nullptr;
    image->data = pixels.data();
    image->size = pixels.size();
    switch (calls++ % 5) {
    case 0:
        return 1;
    case 1:
        image->width = UINT32_MAX;
        image->height = UINT32_MAX;
        return 0;
    case 2:
        image->size = 0;
        return 0;
    case 3:
        return 0;
    default:
        image->width = 3000;
        image->height = 5;
        return 0;
    }
}

void release(void *user) {
    delete static_cast<std::vector<uint8_t> *>(user);
    ++releases;
}

struct Bytes {
    const std::vector<uint8_t> *bytes;
    std::atomic<uint64_t> read{0};
};

// A read of at most 1000 bytes, so that callers must go on.
int64_t read_at(void *user, uint64_t offset, uint8_t *buffer, size_t size) {
    auto &source = *static_cast<Bytes *>(user);
    if (offset >= source.bytes->size()) {
        return 0;
    }
    const size_t left = source.bytes->size() - static_cast<size_t>(offset);
    size_t count = size < 1000 ? size : 1000;
    count = count < left ? count : left;
    std::memcpy(buffer, source.bytes->data() + offset, count);
    source.read += count;
    return static_cast<int64_t>(count);
}

void sources(const std::vector<uint8_t> &bytes) {
    Bytes counted{&bytes};
    meshpeek_error *error = nullptr;
    meshpeek_source *source = nullptr;
    if (!is_done(meshpeek_source_open(read_at, &counted, bytes.size(), current, nullptr, &source, &error), error)) {
        ++faults;
        return;
    }
    faults += counted.read != 0;
    std::vector<std::string> members = {"", "no such member"};
    is_done(meshpeek_source_each_member(source, add_member, &members, &error), error);
    meshpeek_asset *asset = nullptr;
    if (is_done(meshpeek_source_open_member(source, nullptr, &asset, &error), error)) {
        meshpeek_close(asset);
    }
    for (const std::string &name : members) {
        if (is_done(meshpeek_source_open_member(source, name.c_str(), &asset, &error), error)) {
            meshpeek_buffer json;
            if (is_done(meshpeek_json(asset, MESHPEEK_JSON_KIND_RECORD, &json, &error), error)) {
                meshpeek_buffer_free(&json);
            }
            meshpeek_close(asset);
        }
    }
    meshpeek_source_free(source);
}

void meshes(const meshpeek_asset *asset) {
    meshpeek_error *error = nullptr;
    meshpeek_model *model = nullptr;
    if (!is_done(meshpeek_model_open(asset, &model, &error), error)) {
        return;
    }
    const size_t count = meshpeek_model_mesh_count(model);
    for (size_t index = 0; index < count + 1 && index < 50; index++) {
        meshpeek_mesh *mesh = nullptr;
        meshpeek_mesh_facts facts;
        const bool has_facts = is_done(meshpeek_model_mesh(model, index, &facts, &error), error);
        if (has_facts != (index < count) && has_facts) {
            ++faults;
        }
        if (!is_done(meshpeek_mesh_open(model, index, &mesh, &error), error)) {
            continue;
        }
        meshpeek_mesh_info info;
        meshpeek_mesh_describe(mesh, &info);
        // Meshes for collision, shadows and the crew's view are not visual. Only LODs have a name.
        const bool is_seen = info.lod < 0 || (info.resolution >= 0 && info.resolution < 1000);
        if (info.is_visual != is_seen || (info.lod < 0) != (*info.lod_name == '\0')) {
            ++faults;
        }
        if (has_facts && (facts.lod != info.lod || facts.is_visible != info.is_visible ||
                          facts.is_visual != info.is_visual ||
                          std::strcmp(facts.name, info.name) != 0)) {
            ++faults;
        }
        std::vector<uint8_t> buffer((info.vertices + info.indices) * 16 + 16);
        const size_t morphs = meshpeek_mesh_morph_count(mesh);
        for (size_t morph = 0; morph < morphs + 1 && morph < 20; morph++) {
            meshpeek_mesh_morph_name(mesh, morph);
            is_done(meshpeek_mesh_read_morph(mesh, morph, buffer.data(), buffer.size(), 16, &error), error);
        }
        // Every mesh has these, even of 0 rows.
        for (int32_t attribute : {int32_t{MESHPEEK_ATTRIBUTE_POSITION}, int32_t{MESHPEEK_ATTRIBUTE_INDEX}}) {
            faults += !is_done(
                meshpeek_mesh_read(mesh, attribute, 0, buffer.data(), buffer.size(), 16, &error), error);
        }
        for (int32_t attribute = -1; attribute < 9; attribute++) {
            for (size_t set = 0; set < 3; set++) {
                is_done(meshpeek_mesh_read(mesh, attribute, set, buffer.data(), buffer.size(), 16, &error), error);
                is_done(meshpeek_mesh_read(mesh, attribute, set, buffer.data(), 3, 3, &error), error);
                is_done(meshpeek_mesh_read(mesh, attribute, set, buffer.data(), buffer.size(), SIZE_MAX, &error), error);
            }
        }
        meshpeek_mesh_free(mesh);
    }
    meshpeek_model_free(model);
}

void rigs(const meshpeek_asset *asset) {
    meshpeek_error *error = nullptr;
    for (size_t index = 0; index < 3; index++) {
        meshpeek_rig *rig = nullptr;
        if (!is_done(meshpeek_rig_open(asset, index, &rig, &error), error)) {
            continue;
        }
        const size_t bones = meshpeek_rig_bone_count(rig);
        std::vector<float> matrices(bones * 16 + 16);
        for (int64_t clip = -1; clip < 4; clip++) {
            for (int32_t space = -1; space < 4; space++) {
                is_done(meshpeek_rig_pose(rig, clip, 0.5F, space, matrices.data(), bones, &error), error);
            }
        }
        meshpeek_bone bone;
        meshpeek_clip clip;
        if (meshpeek_rig_bone(rig, bones, &bone) || meshpeek_rig_clip(rig, meshpeek_rig_clip_count(rig), &clip)) {
            ++faults;
        }
        meshpeek_rig_free(rig);
        if (is_done(meshpeek_rig_open_motion(asset, index, asset, &rig, &error), error)) {
            meshpeek_rig_free(rig);
        }
    }
}

void ask(const meshpeek_asset *asset) {
    meshpeek_error *error = nullptr;
    uint32_t version = 0;
    meshpeek_format(asset);
    meshpeek_format_version(asset, &version);
    is_done(meshpeek_check_unchanged(asset, &error), error);
    for (int32_t kind = -1; kind < 4; kind++) {
        meshpeek_buffer json;
        if (is_done(meshpeek_json(asset, kind, &json, &error), error)) {
            meshpeek_buffer_free(&json);
            meshpeek_buffer_free(&json);
        }
    }
    std::vector<std::string> selectors = {"", "x", "a/b/c", "meshes/99999999999999999999/positions"};
    is_done(meshpeek_each_array(asset, add_selector, &selectors, &error), error);
    for (const std::string &selector : selectors) {
        meshpeek_array array;
        if (is_done(meshpeek_array_find(asset, selector.c_str(), &array, &error), error)) {
            unsigned sum = 0;
            for (uint64_t row = 0; row < array.rows && array.column_count > 0; row++) {
                sum += array.data[row * array.stride + array.columns[array.column_count - 1].offset];
            }
            sums += sum;
            meshpeek_array_free(&array);
            meshpeek_array_free(&array);
        }
    }
    meshes(asset);
    rigs(asset);
    for (const char *form : {"glb", "obj", "ply", "png", "?"}) {
        meshpeek_export_options options = meshpeek_export_options_default();
        options.size = 64;
        is_done(meshpeek_export(asset, form, &options, ignore, nullptr, &error), error);
        is_done(meshpeek_export(asset, form, &options, stop, nullptr, &error), error);
        unsigned calls = 0;
        options.images = find_image;
        options.images_user = &calls;
        for (int time = 0; time < 5; time++) {
            is_done(meshpeek_export(asset, form, &options, ignore, nullptr, &error), error);
        }
    }
    std::vector<std::string> members = {"", "no such member"};
    is_done(meshpeek_each_member(asset, add_member, &members, &error), error);
    for (const std::string &name : members) {
        meshpeek_asset *member = nullptr;
        if (is_done(meshpeek_open_member(asset, name.c_str(), &member, &error), error)) {
            meshpeek_buffer json;
            if (is_done(meshpeek_json(member, MESHPEEK_JSON_KIND_RECORD, &json, &error), error)) {
                meshpeek_buffer_free(&json);
            }
            meshpeek_close(member);
        }
    }
}

} // namespace

int main(int argc, char **argv) {
    meshpeek_error *error = nullptr;
    meshpeek_asset *asset = nullptr;
    is_done(meshpeek_open_path(nullptr, 0, nullptr, &asset, &error), error);
    is_done(meshpeek_open_path("\xff", 7, nullptr, &asset, &error), error);
    is_done(meshpeek_open_path("x", 0, nullptr, nullptr, &error), error);
    is_done(meshpeek_open_memory(nullptr, 1, nullptr, nullptr, nullptr, nullptr, &asset, &error), error);
    is_done(meshpeek_open_callback(nullptr, nullptr, nullptr, nullptr, &asset, &error), error);
    is_done(meshpeek_json(nullptr, 0, nullptr, &error), error);
    meshpeek_source *source = nullptr;
    is_done(meshpeek_source_open(nullptr, nullptr, 5, nullptr, nullptr, &source, &error), error);
    is_done(meshpeek_source_each_member(nullptr, add_member, nullptr, &error), error);
    meshpeek_source_free(nullptr);
    for (const char *format : {static_cast<const char *>(nullptr), "odol", "none"}) {
        meshpeek_buffer schema;
        if (is_done(meshpeek_schema(format, &schema, &error), error)) {
            faults += schema.size < 1000;
            meshpeek_buffer_free(&schema);
        }
    }
    meshpeek_close(nullptr);
    meshpeek_error_free(nullptr);
    int lent = 0;
    for (int index = 1; index < argc; index++) {
        current = argv[index];
        std::ifstream stream(current, std::ios::binary);
        auto *bytes = new std::vector<uint8_t>(std::istreambuf_iterator<char>(stream), {});
        ++lent;
        sources(*bytes);
        const meshpeek_status status =
            meshpeek_open_memory(bytes->data(), bytes->size(), current, release, bytes, nullptr, &asset, &error);
        if (is_done(status, error)) {
            std::thread other(ask, asset);
            ask(asset);
            other.join();
            meshpeek_close(asset);
        }
    }
    if (releases != lent) {
        std::fprintf(stderr, "%d of %d buffers were released\n", releases.load(), lent);
        ++faults;
    }
    std::printf("%d files\n", argc - 1);
    return faults == 0 ? 0 : 1;
}
