// The part of Darwin's C library that the package uses, for .ci/availability. Types, values and first versions are those
// of Apple's headers. A name that is missing here is reported as unknown: add it with its first versions, from the
// header's API_AVAILABLE or __OSX_AVAILABLE. No mark means that every supported system has the declaration.
//
// Functions with a variable number of arguments, errno and a few macros come from Swift in Apple's SDK: see Darwin.swiftinterface.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define FIRST(mac, phone, tv, watch)                                                              \
  __attribute__((availability(macos, introduced = mac), availability(ios, introduced = phone),    \
                 availability(tvos, introduced = tv), availability(watchos, introduced = watch)))

// Without a mark for null, Swift imports a pointer as an implicitly unwrapped optional, as it does for most of Darwin.

// <sys/types.h>
typedef long ssize_t;
typedef int64_t off_t;
typedef uint16_t mode_t;
typedef uint16_t nlink_t;
typedef uint32_t uid_t;
typedef uint32_t gid_t;
typedef int32_t dev_t;
typedef int32_t pid_t;
typedef uint64_t ino_t;

// <errno.h>
#define EPERM 1
#define ENOENT 2
#define EINTR 4
#define EIO 5
#define EBADF 9
#define ENOMEM 12
#define EACCES 13
#define EBUSY 16
#define EEXIST 17
#define EXDEV 18
#define ENOTDIR 20
#define EISDIR 21
#define EINVAL 22
#define ENFILE 23
#define EMFILE 24
#define EFBIG 27
#define ENOSPC 28
#define ESPIPE 29
#define EROFS 30
#define EMLINK 31
#define EPIPE 32
#define EAGAIN 35
#define EWOULDBLOCK EAGAIN
#define ENOTSUP 45
#define ELOOP 62
#define ENAMETOOLONG 63
#define ENOTEMPTY 66
#define EDQUOT 69
#define ENOLCK 77
#define ENOSYS 78
#define EILSEQ 92
#define EOPNOTSUPP 102

// <fcntl.h>
#define O_RDONLY 0x0000
#define O_WRONLY 0x0001
#define O_RDWR 0x0002
#define O_NONBLOCK 0x00000004
#define O_APPEND 0x00000008
#define O_NOFOLLOW 0x00000100
#define O_CREAT 0x00000200
#define O_TRUNC 0x00000400
#define O_EXCL 0x00000800
#define O_NOCTTY 0x00020000
#define O_DIRECTORY 0x00100000
#define O_CLOEXEC 0x01000000
#define AT_FDCWD -2
#define AT_SYMLINK_NOFOLLOW 0x0020
#define AT_REMOVEDIR 0x0080
#define FD_CLOEXEC 1
#define F_SETFD 2
#define F_SETFL 4
#define F_FULLFSYNC 51
#define LOCK_SH 0x01
#define LOCK_EX 0x02
#define LOCK_NB 0x04
#define LOCK_UN 0x08
int flock(int, int);

// <unistd.h>
int close(int);
int fsync(int);
int ftruncate(int, off_t);
int isatty(int);
int fchown(int, uid_t, gid_t);
int usleep(unsigned int);
int pipe(int[2]);
pid_t getpid(void);
uid_t geteuid(void);
gid_t getegid(void);
ssize_t read(int, void *, size_t);
ssize_t write(int, const void *, size_t);
ssize_t pread(int, void *, size_t, off_t);
ssize_t pwrite(int, const void *, size_t, off_t);
int linkat(int, const char *, int, const char *, int) FIRST(10.10, 8.0, 9.0, 2.0);
int unlinkat(int, const char *, int) FIRST(10.10, 8.0, 9.0, 2.0);

// <stdio.h>
#define RENAME_SWAP 0x00000002
#define RENAME_EXCL 0x00000004
int renameat(int, const char *, int, const char *) FIRST(10.10, 8.0, 9.0, 2.0);
int renameatx_np(int, const char *, int, const char *, unsigned int) FIRST(10.12, 10.0, 10.0, 3.0);
int vsnprintf(char *, size_t, const char *, va_list);

// <sys/stat.h>
struct timespec {
  long tv_sec;
  long tv_nsec;
};
struct stat {
  dev_t st_dev;
  mode_t st_mode;
  nlink_t st_nlink;
  ino_t st_ino;
  uid_t st_uid;
  gid_t st_gid;
  dev_t st_rdev;
  struct timespec st_atimespec;
  struct timespec st_mtimespec;
  struct timespec st_ctimespec;
  struct timespec st_birthtimespec;
  off_t st_size;
  int64_t st_blocks;
  int32_t st_blksize;
  uint32_t st_flags;
  uint32_t st_gen;
  int32_t st_lspare;
  int64_t st_qspare[2];
};
int stat(const char *, struct stat *);
int fstat(int, struct stat *);
int fstatat(int, const char *, struct stat *, int) FIRST(10.10, 8.0, 9.0, 2.0);
int fchmod(int, mode_t);
int mkdirat(int, const char *, mode_t) FIRST(10.10, 8.0, 9.0, 2.0);
ssize_t readlinkat(int, const char *, char *, size_t) FIRST(10.10, 8.0, 9.0, 2.0);
int futimens(int, const struct timespec *) FIRST(10.13, 11.0, 11.0, 4.0);
int utimensat(int, const char *, const struct timespec *, int) FIRST(10.13, 11.0, 11.0, 4.0);

// <sys/poll.h>
#define POLLIN 0x0001
#define POLLOUT 0x0004
struct pollfd {
  int fd;
  short events;
  short revents;
};
typedef unsigned int nfds_t;
int poll(struct pollfd *, nfds_t, int);

// <dirent.h>
#define DT_UNKNOWN 0
#define DT_DIR 4
#define DT_REG 8
#define DT_LNK 10
struct dirent {
  uint64_t d_ino;
  uint64_t d_seekoff;
  uint16_t d_reclen;
  uint16_t d_namlen;
  uint8_t d_type;
  char d_name[1024];
};
typedef struct {
  int __dd_fd;
} DIR;  // fewer fields than Apple's; nothing here uses them
DIR *fdopendir(int) FIRST(10.10, 8.0, 9.0, 2.0);
struct dirent *readdir(DIR *);
int closedir(DIR *);

// <stdlib.h>, <string.h>
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void free(void *);
char *realpath(const char *restrict, char *restrict);
void exit(int) __attribute__((noreturn));
void *memcpy(void *, const void *, size_t);
void *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);
size_t strlen(const char *);
char *strerror(int);

// <signal.h>, <sys/ttycom.h>
#define SIGPIPE 13
typedef void (*_Nullable sig_t)(int);
sig_t signal(int, sig_t);
#define SIGHUP 1
#define SIGINT 2
#define SIGTERM 15
typedef uint32_t sigset_t;
union __sigaction_u {
  void (*_Nullable __sa_handler)(int);
  void (*_Nullable __sa_sigaction)(int, void *, void *);
};
struct sigaction {
  union __sigaction_u __sigaction_u;
  sigset_t sa_mask;
  int sa_flags;
};
int sigaction(int, const struct sigaction *, struct sigaction *);
#define SIG_BLOCK 1
#define SIG_SETMASK 3
int sigemptyset(sigset_t *);
int sigaddset(sigset_t *, int);
int sigismember(const sigset_t *, int);
int sigpending(sigset_t *);
int sigwait(const sigset_t *, int *);
int pthread_sigmask(int, const sigset_t *_Nullable, sigset_t *_Nullable);
int kill(pid_t, int);
int pause(void);
int atexit(void (*_Nonnull)(void));
struct winsize {
  unsigned short ws_row;
  unsigned short ws_col;
  unsigned short ws_xpixel;
  unsigned short ws_ypixel;
};

// <pthread.h>
struct _opaque_pthread_t;
typedef struct _opaque_pthread_t *_Nonnull pthread_t;
typedef struct _opaque_pthread_mutex_t {
  long __sig;
  char __opaque[56];
} pthread_mutex_t;
typedef struct _opaque_pthread_mutexattr_t {
  long __sig;
  char __opaque[8];
} pthread_mutexattr_t;
#define PTHREAD_MUTEX_ERRORCHECK 1
#define PTHREAD_MUTEX_RECURSIVE 2
typedef struct _opaque_pthread_attr_t {
  long __sig;
  char __opaque[56];
} pthread_attr_t;
#define PTHREAD_CREATE_DETACHED 2
int pthread_attr_init(pthread_attr_t *_Nonnull);
int pthread_attr_destroy(pthread_attr_t *_Nonnull);
int pthread_attr_setstacksize(pthread_attr_t *_Nonnull, size_t);
int pthread_attr_setdetachstate(pthread_attr_t *_Nonnull, int);
int pthread_create(
  struct _opaque_pthread_t *_Nullable *_Nonnull, const pthread_attr_t *_Nullable,
  void *_Nullable (*_Nonnull)(void *_Nonnull), void *_Nullable);
pthread_t pthread_self(void);
typedef unsigned long pthread_key_t;
int pthread_key_create(pthread_key_t *_Nonnull, void (*_Nullable)(void *_Nonnull));
void *_Nullable pthread_getspecific(pthread_key_t);
int pthread_setspecific(pthread_key_t, const void *_Nullable);
void *_Nonnull pthread_get_stackaddr_np(pthread_t);
size_t pthread_get_stacksize_np(pthread_t);
int pthread_mutex_init(pthread_mutex_t *_Nonnull, const pthread_mutexattr_t *_Nullable);
int pthread_mutex_destroy(pthread_mutex_t *_Nonnull);
int pthread_mutex_lock(pthread_mutex_t *_Nonnull);
int pthread_mutex_trylock(pthread_mutex_t *_Nonnull);
int pthread_mutex_unlock(pthread_mutex_t *_Nonnull);
int pthread_mutexattr_init(pthread_mutexattr_t *_Nonnull);
int pthread_mutexattr_destroy(pthread_mutexattr_t *_Nonnull);
int pthread_mutexattr_settype(pthread_mutexattr_t *_Nonnull, int);

// <os/lock.h>
typedef struct os_unfair_lock_s {
  uint32_t _os_unfair_lock_opaque;
} os_unfair_lock FIRST(10.12, 10.0, 10.0, 3.0);
void os_unfair_lock_lock(os_unfair_lock *_Nonnull) FIRST(10.12, 10.0, 10.0, 3.0);
_Bool os_unfair_lock_trylock(os_unfair_lock *_Nonnull) FIRST(10.12, 10.0, 10.0, 3.0);
void os_unfair_lock_unlock(os_unfair_lock *_Nonnull) FIRST(10.12, 10.0, 10.0, 3.0);
