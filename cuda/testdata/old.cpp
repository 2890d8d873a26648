// A program that begins without a window.
#include <cstdlib>
#include <unistd.h>

int main() {
    char byte = 0;
    int simulator = atoi(getenv("DIVERGO_FD"));
    return write(simulator, &byte, 1) == 1 && read(simulator, &byte, 1) == 0 ? 0 : 1;
}
