/* The random numbers of Rust's standard library come from ProcessPrng, which Wine before version 9 lacks. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG size);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T size)
{
    while (size > 0) {
        ULONG part = size > 0x10000000 ? 0x10000000 : (ULONG)size;
        if (!SystemFunction036(buffer, part)) return FALSE;
        buffer += part;
        size -= part;
    }
    return TRUE;
}
