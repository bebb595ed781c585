/* A plugin of QEMU's user mode that prints how many instructions a program executed, all threads
 * together. QEMU's package has no header, so the declarations it needs of interface 1 stand here. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

typedef uint64_t Id;
typedef struct qemu_plugin_tb Block;
enum { kAdd = 0 };

void qemu_plugin_register_vcpu_tb_trans_cb(Id id, void (*translated)(Id, Block*));
void qemu_plugin_register_vcpu_tb_exec_inline(Block* block, int operation, void* sum, uint64_t term);
void qemu_plugin_register_atexit_cb(Id id, void (*ended)(Id, void*), void* data);
size_t qemu_plugin_tb_n_insns(const Block* block);

int qemu_plugin_version = 1;

static uint64_t instructions;

static void count(Id id, Block* block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(block, kAdd, &instructions,
                                           qemu_plugin_tb_n_insns(block));
}

static void print(Id id, void* data) {
  (void)id, (void)data;
  fprintf(stderr, "instructions: %" PRIu64 "\n", instructions);
}

int qemu_plugin_install(Id id, const void* machine, int count_of_options, char** options) {
  (void)machine, (void)count_of_options, (void)options;
  qemu_plugin_register_vcpu_tb_trans_cb(id, count);
  qemu_plugin_register_atexit_cb(id, print, NULL);
  return 0;
}
