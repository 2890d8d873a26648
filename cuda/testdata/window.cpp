// A program that shares memory with the simulator which is not as the runtime's: what it is comes first. It begins as the
// runtime does, asks for a copy through the window, and says whether the simulator has ended the connection.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int, char **argv) {
    const int simulator = 3;
    char byte;
    if (read(simulator, &byte, 1) != 1) return 1;
    int file;
    if (strcmp(argv[1], "pipe") == 0) {
        int ends[2];
        if (pipe(ends) != 0) return 1;
        file = ends[0];
    } else if (strcmp(argv[1], "file") == 0) {
        char name[] = "/tmp/windowXXXXXX";
        file = mkstemp(name);
        unlink(name);
        if (ftruncate(file, 2 << 20) != 0) return 1;
    } else {
        file = memfd_create("window", MFD_ALLOW_SEALING);
        if (ftruncate(file, strcmp(argv[1], "short") == 0 ? 4096 : 2 << 20) != 0) return 1;
        if (strcmp(argv[1], "open") != 0) fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK);
    }
    byte = (char)atoi(argv[2]);
    struct iovec part = {&byte, 1};
    union { struct cmsghdr head; char room[CMSG_SPACE(sizeof(int))]; } control = {};
    struct msghdr message = {};
    message.msg_iov = &part, message.msg_iovlen = 1, message.msg_control = &control, message.msg_controllen = sizeof control.room;
    control.head.cmsg_level = SOL_SOCKET, control.head.cmsg_type = SCM_RIGHTS, control.head.cmsg_len = CMSG_LEN(sizeof file);
    memcpy(CMSG_DATA(&control.head), &file, sizeof file);
    if (sendmsg(simulator, &message, MSG_NOSIGNAL) != 1) return 1;
    ftruncate(file, 0);
    return read(simulator, &byte, 1) == 0 ? 0 : 1;
}
