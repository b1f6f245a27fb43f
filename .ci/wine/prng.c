// ProcessPrng of bcryptprimitives.dll, which Go's runtime needs and Wine 8 does not have.
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length); // RtlGenRandom, of advapi32

__declspec(dllexport) BOOL WINAPI ProcessPrng(BYTE *buffer, SIZE_T length)
{
	while (length > 0) {
		ULONG n = length > 1 << 20 ? 1 << 20 : (ULONG)length;
		if (!SystemFunction036(buffer, n))
			return FALSE;
		buffer += n;
		length -= n;
	}
	return TRUE;
}
