// A program that begins without a window.
#include <cstdlib>
#include <unistd.h>

int main() {
    char byte = 0;
    int simulator = atoi(getenv("DIVERGO_FD"));
    if (write(simulator, &byte, 1) != 1) return 1;
    while (read(simulator, &byte, 1) > 0) {}
    return 0;
}
