/*
 * The work of checking a proof, as native code does it: the yardstick of `npm run bench -- proofs`.
 *
 *   cc -O3 -o proofs proofs.c -lsecp256k1
 *   proofs <file> <owner> <threshold> <signer>…      (addresses as 40 hex digits)
 *
 * Each line of the file is one proof: signed text, report, context, then its signatures, all but the text as hex
 * without 0x, with a space in between. For every number read from standard input so many proofs are checked,
 * and the nanoseconds that took are printed. One that does not hold ends the program.
 * JSON is not parsed here, so the comparison flatters this side a little.
 */
#include <secp256k1.h>
#include <secp256k1_recovery.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_SIGNATURES 32
#define MAX_SIGNERS 32
#define MAX_BYTES 8192
#define KECCAK_RATE 136
#define REPORT_OWNER 87
#define REPORT_MIN 141

typedef struct {
  char *text, *report, *context, *signatures[MAX_SIGNATURES];
  int signature_count;
} proof_t;

static secp256k1_context *context;
static uint8_t owner[20], signers[MAX_SIGNERS][20];
static int signer_count, threshold;

static uint64_t rotate(uint64_t word, int by) { return by ? word << by | word >> (64 - by) : word; }

static void keccak_f(uint64_t state[25]) {
  static const uint64_t constants[24] = {
      0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
      0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
      0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
      0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
      0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008};
  static const int shifts[25] = {0,  1,  62, 28, 27, 36, 44, 6,  55, 20, 3,  10, 43,
                                 25, 39, 41, 45, 15, 21, 8,  18, 2,  61, 56, 14};
  for (int round = 0; round < 24; round++) {
    uint64_t column[5], moved[25];
    for (int x = 0; x < 5; x++)
      column[x] = state[x] ^ state[x + 5] ^ state[x + 10] ^ state[x + 15] ^ state[x + 20];
    for (int x = 0; x < 5; x++) {
      uint64_t mixed = column[(x + 4) % 5] ^ rotate(column[(x + 1) % 5], 1);
      for (int y = 0; y < 5; y++)
        moved[y + 5 * ((2 * x + 3 * y) % 5)] = rotate(state[x + 5 * y] ^ mixed, shifts[x + 5 * y]);
    }
    for (int y = 0; y < 25; y += 5)
      for (int x = 0; x < 5; x++)
        state[y + x] = moved[y + x] ^ (~moved[y + (x + 1) % 5] & moved[y + (x + 2) % 5]);
    state[0] ^= constants[round];
  }
}

static void absorb(uint64_t state[25], const uint8_t *block) {
  for (int lane = 0; lane < KECCAK_RATE / 8; lane++) {
    uint64_t word;
    memcpy(&word, block + 8 * lane, 8);
    state[lane] ^= word;
  }
  keccak_f(state);
}

static void keccak256(const uint8_t *bytes, size_t length, uint8_t hash[32]) {
  uint64_t state[25] = {0};
  uint8_t last[KECCAK_RATE] = {0};
  for (; length >= KECCAK_RATE; bytes += KECCAK_RATE, length -= KECCAK_RATE) absorb(state, bytes);
  memcpy(last, bytes, length);
  last[length] ^= 0x01;
  last[KECCAK_RATE - 1] ^= 0x80;
  absorb(state, last);
  memcpy(hash, state, 32);
}

static int digit(char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; }

static size_t from_hex(const char *hex, uint8_t *bytes) {
  size_t length = strlen(hex) / 2;
  if (length > MAX_BYTES) exit(1);
  for (size_t i = 0; i < length; i++) bytes[i] = (uint8_t)(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
  return length;
}

static int recover(const uint8_t digest[32], const char *hex, uint8_t address[20]) {
  uint8_t bytes[MAX_BYTES], uncompressed[65], hash[32];
  size_t length = sizeof uncompressed;
  secp256k1_ecdsa_recoverable_signature signature;
  secp256k1_pubkey key;
  if (from_hex(hex, bytes) != 65) return 0;
  int id = bytes[64] >= 27 ? bytes[64] - 27 : bytes[64];
  if (id > 1) return 0;
  if (!secp256k1_ecdsa_recoverable_signature_parse_compact(context, &signature, bytes, id)) return 0;
  if (!secp256k1_ecdsa_recover(context, &key, &signature, digest)) return 0;
  secp256k1_ec_pubkey_serialize(context, uncompressed, &length, &key, SECP256K1_EC_UNCOMPRESSED);
  keccak256(uncompressed + 1, 64, hash);
  memcpy(address, hash + 12, 20);
  return 1;
}

static int verify(const proof_t *proof) {
  uint8_t report[MAX_BYTES], message[32 + MAX_BYTES], digest[32], hash[32], address[20];
  uint8_t signed_by[MAX_SIGNERS] = {0};
  int members = 0;
  size_t length = from_hex(proof->report, report);
  if (length < REPORT_MIN || memcmp(report + REPORT_OWNER, owner, 20) != 0) return 0;
  keccak256((const uint8_t *)proof->text, strlen(proof->text), hash);
  if (memcmp(report + length - 32, hash, 32) != 0) return 0;
  keccak256(report, length, message);
  keccak256(message, 32 + from_hex(proof->context, message + 32), digest);
  for (int i = 0; i < proof->signature_count; i++) {
    if (!recover(digest, proof->signatures[i], address)) return 0;
    for (int s = 0; s < signer_count; s++)
      if (!signed_by[s] && memcmp(address, signers[s], 20) == 0) {
        signed_by[s] = 1;
        members++;
      }
  }
  return members >= threshold;
}

static proof_t *read_proofs(const char *path, int *count) {
  FILE *file = fopen(path, "r");
  proof_t *proofs = NULL;
  char *line = NULL;
  size_t size = 0;
  if (file == NULL) exit(1);
  for (*count = 0; getline(&line, &size, file) > 0; ++*count) {
    proofs = realloc(proofs, (*count + 1) * sizeof *proofs);
    if (proofs == NULL) exit(1);
    proof_t *proof = &proofs[*count];
    line[strcspn(line, "\n")] = 0;
    proof->text = strtok(strdup(line), " ");
    proof->report = strtok(NULL, " ");
    proof->context = strtok(NULL, " ");
    char *signature;
    for (proof->signature_count = 0; (signature = strtok(NULL, " ")) && proof->signature_count < MAX_SIGNATURES;)
      proof->signatures[proof->signature_count++] = signature;
  }
  free(line);
  fclose(file);
  return proofs;
}

int main(int argc, char **argv) {
  int count, wanted;
  if (argc < 5 || argc - 4 > MAX_SIGNERS) return 1;
  proof_t *proofs = read_proofs(argv[1], &count);
  from_hex(argv[2], owner);
  threshold = atoi(argv[3]);
  for (int i = 4; i < argc; i++) from_hex(argv[i], signers[signer_count++]);
  if (count == 0) return 1;
  context = secp256k1_context_create(SECP256K1_CONTEXT_SIGN | SECP256K1_CONTEXT_VERIFY);
  while (scanf("%d", &wanted) == 1) {
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int i = 0; i < wanted; i++)
      if (!verify(&proofs[i % count])) return 2;
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%lld\n", (end.tv_sec - start.tv_sec) * 1000000000LL + (end.tv_nsec - start.tv_nsec));
    fflush(stdout);
  }
  return 0;
}
