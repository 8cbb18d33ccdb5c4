/* Prints what is in a file: its format, arrays, members and record. C99.
 *
 *     cc -std=c99 inspect.c -lmeshpeek && ./a.out model.b3d
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "meshpeek.h"

static int fail(meshpeek_error *error) {
    uint64_t offset;
    fprintf(stderr, "%s [%s]", meshpeek_error_message(error), meshpeek_error_code(error));
    if (meshpeek_error_offset(error, &offset)) {
        fprintf(stderr, " at byte %" PRIu64, offset);
    }
    fprintf(stderr, "\n");
    meshpeek_error_free(error);
    return 1;
}

static int32_t print_array(void *user, const meshpeek_array_info *array) {
    (void)user;
    printf("array %s %" PRIu64 " x %zu, %s\n", array->selector, array->rows, array->column_count, array->packing);
    return 0;
}

static int32_t print_member(void *user, const meshpeek_member *member) {
    (void)user;
    printf("member %s %" PRIu64 " bytes, %s\n", member->name, member->bytes, member->method);
    return 0;
}

/* The sum of a column of floats, read in place. */
static double sum(const meshpeek_array *array, size_t column) {
    double sum = 0;
    for (uint64_t row = 0; row < array->rows; row++) {
        float number;
        memcpy(&number, array->data + row * array->stride + array->columns[column].offset, sizeof number);
        sum += number;
    }
    return sum;
}

int main(int argc, char **argv) {
    meshpeek_asset *asset;
    meshpeek_error *error = NULL;
    meshpeek_buffer json;
    meshpeek_array array;
    if (meshpeek_abi() != MESHPEEK_ABI || argc < 2) {
        fprintf(stderr, "usage: inspect FILE [SELECTOR], with the library of this header\n");
        return 2;
    }
    if (meshpeek_open_path(argv[1], MESHPEEK_ACCESS_READ, NULL, &asset, &error)) {
        return fail(error);
    }
    printf("format %s\n", meshpeek_format(asset));
    if (argc > 2) {
        if (meshpeek_array_find(asset, argv[2], &array, &error)) {
            meshpeek_close(asset);
            return fail(error);
        }
        /* The array outlives the asset. */
        meshpeek_close(asset);
        for (size_t column = 0; column < array.column_count; column++) {
            if (array.columns[column].scalar == MESHPEEK_SCALAR_F32) {
                printf("sum %s %.9g\n", array.columns[column].name, sum(&array, column));
            }
        }
        meshpeek_array_free(&array);
        return 0;
    }
    if (meshpeek_each_array(asset, print_array, NULL, &error) || meshpeek_each_member(asset, print_member, NULL, &error)
        || meshpeek_json(asset, MESHPEEK_JSON_KIND_INFO, &json, &error)) {
        meshpeek_close(asset);
        return fail(error);
    }
    printf("json %s\n", (const char *)json.data);
    meshpeek_buffer_free(&json);
    meshpeek_close(asset);
    return 0;
}
