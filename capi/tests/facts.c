/* Prints what a test asks: facts WHAT FILE [ARGUMENT...]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meshpeek.h"

/* Says whether a call failed, and why. The arguments of a function have no order, so the error comes by its address. */
static int failed(meshpeek_status status, meshpeek_error **error) {
    if (status == MESHPEEK_STATUS_OK) {
        return 0;
    }
    printf("status %d [%s]\n", (int)status, meshpeek_error_code(*error));
    meshpeek_error_free(*error);
    *error = NULL;
    return 1;
}

static uint64_t bytes_read = 0;

static int64_t read_at(void *user, uint64_t offset, uint8_t *buffer, size_t size) {
    FILE *file = (FILE *)user;
    size_t count;
    if (fseek(file, (long)offset, SEEK_SET) != 0) {
        return -1;
    }
    count = fread(buffer, 1, size, file);
    bytes_read += count;
    return (int64_t)count;
}

static int32_t print_member(void *user, const meshpeek_member *member) {
    (void)user;
    printf("member %s %u\n", member->name, (unsigned)member->bytes);
    return 0;
}

/* Opens a member by ranges, and prints how many bytes were read. */
static void by_ranges(const char *path, const char *member, uint64_t most) {
    meshpeek_error *error = NULL;
    meshpeek_source *source = NULL;
    meshpeek_asset *asset = NULL;
    FILE *file = fopen(path, "rb");
    long size;
    meshpeek_limits limits = meshpeek_limits_default();
    if (most > 0) {
        limits.decoded_bytes = most;
    }
    if (file == NULL) {
        exit(2);
    }
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    if (failed(meshpeek_source_open(read_at, file, (uint64_t)size, path, &limits, &source, &error), &error)) {
        return;
    }
    failed(meshpeek_source_each_member(source, print_member, NULL, &error), &error);
    printf("read %u\n", (unsigned)bytes_read);
    if (!failed(meshpeek_source_open_member(source, member, &asset, &error), &error)) {
        printf("format %s\nread %u\n", meshpeek_format(asset), (unsigned)bytes_read);
    }
    meshpeek_source_free(source);
    meshpeek_close(asset);
    fclose(file);
}

/* Prints the facts, arrays and shapes of each mesh. */
static void meshes(const meshpeek_asset *asset) {
    meshpeek_error *error = NULL;
    meshpeek_model *model = NULL;
    size_t index;
    if (failed(meshpeek_model_open(asset, &model, &error), &error)) {
        return;
    }
    for (index = 0; index < meshpeek_model_mesh_count(model); index++) {
        meshpeek_mesh_facts facts;
        meshpeek_mesh_info info;
        meshpeek_mesh *mesh = NULL;
        size_t morph;
        float *points;
        if (failed(meshpeek_model_mesh(model, index, &facts, &error), &error) ||
            failed(meshpeek_mesh_open(model, index, &mesh, &error), &error)) {
            continue;
        }
        meshpeek_mesh_describe(mesh, &info);
        printf("mesh %u positions, %u vertices, alpha %d\n", (unsigned)facts.positions, (unsigned)info.vertices,
               (int)info.alpha);
        points = malloc((info.vertices + 1) * 12);
        if (points == NULL) {
            exit(2);
        }
        failed(meshpeek_mesh_read(mesh, MESHPEEK_ATTRIBUTE_POSITION, 0, info.vertices == 0 ? NULL : points,
                                  info.vertices * 12, 12, &error),
               &error);
        for (morph = 0; morph < meshpeek_mesh_morph_count(mesh); morph++) {
            double sum = 0;
            size_t number;
            if (failed(meshpeek_mesh_read_morph(mesh, morph, points, info.vertices * 12, 12, &error), &error)) {
                continue;
            }
            for (number = 0; number < info.vertices * 3; number++) {
                sum += points[number];
            }
            printf("morph %s %.3f\n", meshpeek_mesh_morph_name(mesh, morph), sum);
        }
        free(points);
        meshpeek_mesh_free(mesh);
    }
    meshpeek_model_free(model);
}

/* Prints the pose of a model that a motion moves. */
static void moved(const meshpeek_asset *asset, const char *path) {
    meshpeek_error *error = NULL;
    meshpeek_asset *motion = NULL;
    meshpeek_rig *rig = NULL;
    if (failed(meshpeek_open_path(path, MESHPEEK_ACCESS_READ, NULL, &motion, &error), &error)) {
        return;
    }
    if (!failed(meshpeek_rig_open_motion(asset, 0, motion, &rig, &error), &error)) {
        printf("rig %u bones, %u clips\n", (unsigned)meshpeek_rig_bone_count(rig), (unsigned)meshpeek_rig_clip_count(rig));
        meshpeek_rig_free(rig);
    }
    meshpeek_close(motion);
}

int main(int argc, char **argv) {
    meshpeek_error *error = NULL;
    meshpeek_asset *asset = NULL;
    if (argc < 3) {
        return 2;
    }
    if (strcmp(argv[1], "ranges") == 0) {
        by_ranges(argv[2], argv[3], argc > 4 ? strtoul(argv[4], NULL, 10) : 0);
        return 0;
    }
    if (failed(meshpeek_open_path(argv[2], MESHPEEK_ACCESS_READ, NULL, &asset, &error), &error)) {
        return 0;
    }
    printf("format %s\n", meshpeek_format(asset));
    if (strcmp(argv[1], "meshes") == 0) {
        meshes(asset);
    }
    if (strcmp(argv[1], "motion") == 0) {
        moved(asset, argv[3]);
    }
    if (strcmp(argv[1], "member") == 0) {
        meshpeek_asset *member = NULL;
        if (!failed(meshpeek_open_member(asset, argv[3], &member, &error), &error)) {
            meshpeek_close(member);
        }
    }
    meshpeek_close(asset);
    return 0;
}
