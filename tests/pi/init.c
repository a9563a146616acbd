/* The first process of the lines' proof (lines_proof.py): loads its modules, mounts the image's root, runs a script in it.
   Static, so that it runs before there is a root; the modules' order is their names'. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void need(int failed, const char *what)
{
    if (failed) {
        perror(what);
        reboot(RB_POWER_OFF);
    }
}

static void copy(const char *from, const char *to)
{
    char block[65536];
    ssize_t got;
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT, 0644);
    need(in < 0 || out < 0, from);
    while ((got = read(in, block, sizeof block)) > 0)
        need(write(out, block, got) != got, to);
    close(in);
    close(out);
}

static void each(const char *folder, void (*with)(const char *path, const char *name))
{
    struct dirent **names;
    char path[512];
    int count = scandir(folder, &names, NULL, alphasort);
    need(count < 0, folder);
    for (int number = 0; number < count; number++) {
        if (names[number]->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, names[number]->d_name);
        with(path, names[number]->d_name);
    }
}

static void load(const char *path, const char *name)
{
    int module = open(path, O_RDONLY);
    need(module < 0 || syscall(SYS_finit_module, module, "", 0), name);
    close(module);
}

static void bring(const char *path, const char *name)
{
    char to[512];
    snprintf(to, sizeof to, "/root/run/%s", name);
    copy(path, to);
}

int main(void)
{
    struct stat there;
    const char *disk = getenv("cabinet_root");
    need(disk == NULL, "cabinet_root");
    need(mount("devtmpfs", "/dev", "devtmpfs", 0, NULL), "/dev");
    each("/modules", load);
    for (int tries = 0; stat(disk, &there) && tries < 600; tries++)
        usleep(100000);
    need(mount(disk, "/root", "ext4", MS_RDONLY, NULL), disk);
    need(mount("proc", "/root/proc", "proc", 0, NULL), "proc");
    need(mount("sysfs", "/root/sys", "sysfs", 0, NULL), "sysfs");
    need(mount("devtmpfs", "/root/dev", "devtmpfs", 0, NULL), "devtmpfs");
    need(mount("tmpfs", "/root/run", "tmpfs", 0, "mode=0755"), "/run");
    need(mount("tmpfs", "/root/tmp", "tmpfs", 0, "mode=1777"), "/tmp");
    each("/guest", bring);
    need(chroot("/root") || chdir("/"), "/root");
    if (fork() == 0) {
        execl("/bin/sh", "sh", "/run/script", NULL);
        perror("/bin/sh");
        _exit(127);
    }
    while (wait(NULL) > 0)
        ;
    sync();
    reboot(RB_POWER_OFF);
    return 0;
}
