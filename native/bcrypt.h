/*
 * bcrypt for up to four passwords at once in one thread. Each round of Blowfish waits for memory several times:
 * meanwhile the processor works on the other passwords. No state outside of the arguments, no allocation.
 */
#include <stdint.h>
#include <string.h>
#include "pi.h"

#define MAX_LANES 4
#define MAX_PASSWORD 72
#define MAX_COST 31
#define DIGEST_BYTES 23
#define HASH_LENGTH 60

typedef struct {
  uint8_t password[MAX_PASSWORD];
  size_t length;
  uint8_t salt[16];
  uint8_t expected[DIGEST_BYTES];
  /* 2^cost rounds. */
  unsigned cost;
} Check;

typedef struct {
  uint32_t p[18];
  uint32_t s[4][256];
} Cipher;

typedef struct {
  uint32_t key[18];
  uint32_t salt[4];
  Cipher cipher;
  /* The cipher as it was after the rounds of the hash. */
  Cipher finished;
  /* Rounds that are done, those of the hash, and those that every check takes. */
  uint64_t done, own, all;
} Lane;

/* A plain memset of memory that is not read again may be left out by the compiler. */
static void wipe (void *memory, size_t length) {
  volatile uint8_t *bytes = memory;
  while (length--) *bytes++ = 0;
}

static inline uint32_t word_at (const uint8_t *bytes) {
  return (uint32_t) bytes[0] << 24 | (uint32_t) bytes[1] << 16 | (uint32_t) bytes[2] << 8 | bytes[3];
}

#define EACH_LANE for (int lane = 0; lane < count; lane++)
#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE void encipher (Lane *lanes, const int count, uint32_t *left, uint32_t *right) {
#define MIX(s, x) ((((s)[0][(x) >> 24] + (s)[1][(x) >> 16 & 255]) ^ (s)[2][(x) >> 8 & 255]) + (s)[3][(x) & 255])
  EACH_LANE left[lane] ^= lanes[lane].cipher.p[0];
  for (int round = 1; round < 17; round += 2) {
    EACH_LANE right[lane] ^= MIX(lanes[lane].cipher.s, left[lane]) ^ lanes[lane].cipher.p[round];
    EACH_LANE left[lane] ^= MIX(lanes[lane].cipher.s, right[lane]) ^ lanes[lane].cipher.p[round + 1];
  }
  EACH_LANE {
    const uint32_t last = right[lane] ^ lanes[lane].cipher.p[17];
    right[lane] = left[lane];
    left[lane] = last;
  }
#undef MIX
}

/* Replaces the subkeys and S-boxes. `salted`: the salt is mixed in, two words for each block. */
ALWAYS_INLINE void replace_all (Lane *lanes, const int count, const int salted) {
  uint32_t left[MAX_LANES] = { 0 }, right[MAX_LANES] = { 0 };
  unsigned at = 0;
#define NEXT_BLOCK \
  if (salted) { \
    EACH_LANE { left[lane] ^= lanes[lane].salt[at & 3]; right[lane] ^= lanes[lane].salt[(at + 1) & 3]; } \
    at += 2; \
  } \
  encipher(lanes, count, left, right);
  for (int i = 0; i < 18; i += 2) {
    NEXT_BLOCK
    EACH_LANE { lanes[lane].cipher.p[i] = left[lane]; lanes[lane].cipher.p[i + 1] = right[lane]; }
  }
  for (int box = 0; box < 4; box++) {
    for (int i = 0; i < 256; i += 2) {
      NEXT_BLOCK
      EACH_LANE { lanes[lane].cipher.s[box][i] = left[lane]; lanes[lane].cipher.s[box][i + 1] = right[lane]; }
    }
  }
#undef NEXT_BLOCK
}

/* One of the 2^cost rounds. */
ALWAYS_INLINE void expand (Lane *lanes, const int count) {
  EACH_LANE for (int i = 0; i < 18; i++) lanes[lane].cipher.p[i] ^= lanes[lane].key[i];
  replace_all(lanes, count, 0);
  EACH_LANE for (int i = 0; i < 18; i++) lanes[lane].cipher.p[i] ^= lanes[lane].salt[i & 3];
  replace_all(lanes, count, 0);
}

/* One round of each lane. A constant number of lanes each, so that the compiler unrolls the loops over them. */
static void advance (Lane *lanes, const int count) {
  switch (count) {
    case 1: expand(lanes, 1); break;
    case 2: expand(lanes, 2); break;
    case 3: expand(lanes, 3); break;
    default: expand(lanes, 4); break;
  }
  EACH_LANE if (++lanes[lane].done == lanes[lane].own) lanes[lane].finished = lanes[lane].cipher;
}

/* The password with its terminating zero, repeated. */
static void set_key (Lane *lane, const Check *check) {
  const size_t length = check->length + 1;
  for (size_t i = 0, at = 0; i < 18; i++) {
    uint32_t word = 0;
    for (int byte = 0; byte < 4; byte++, at = at + 1 < length ? at + 1 : 0) {
      word = word << 8 | (at < check->length ? check->password[at] : 0);
    }
    lane->key[i] = word;
  }
  for (int i = 0; i < 4; i++) lane->salt[i] = word_at(check->salt + 4 * i);
  memcpy(&lane->cipher, PI, sizeof lane->cipher);
}

/* A hash of a lower cost goes on up to 2^cost rounds: the time says nothing about the hash. */
static void begin (Lane *lane, const Check *check, unsigned cost) {
  set_key(lane, check);
  for (int i = 0; i < 18; i++) lane->cipher.p[i] ^= lane->key[i];
  replace_all(lane, 1, 1);
  lane->done = 0;
  lane->own = (uint64_t) 1 << check->cost;
  lane->all = (uint64_t) 1 << (cost > check->cost ? cost : check->cost);
}

/* After all rounds: whether the password matches. Wipes what the lane knew of the password. */
static int finish (Lane *lane, const Check *check) {
  static const uint8_t text[25] = "OrpheanBeholderScryDoubt";
  uint8_t digest[24], difference = 0;
  lane->cipher = lane->finished;
  for (int block = 0; block < 24; block += 8) {
    uint32_t left = word_at(text + block), right = word_at(text + block + 4);
    for (int time = 0; time < 64; time++) encipher(lane, 1, &left, &right);
    for (int byte = 0; byte < 4; byte++) {
      digest[block + byte] = (uint8_t) (left >> (24 - 8 * byte));
      digest[block + 4 + byte] = (uint8_t) (right >> (24 - 8 * byte));
    }
  }
  for (int i = 0; i < DIGEST_BYTES; i++) difference |= digest[i] ^ check->expected[i];
  wipe(digest, sizeof digest);
  wipe(lane, sizeof *lane);
  return difference == 0;
}

/* Reads 4 characters for each 3 bytes. False for text that bcrypt does not write: other characters, spare bits set. */
static int decode (const char *text, uint8_t *bytes, size_t length) {
  static const char alphabet[] = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  uint32_t bits = 0;
  int held = 0;
  while (length > 0) {
    const char *found = *text ? strchr(alphabet, *text) : 0;
    if (!found) return 0;
    text++;
    bits = bits << 6 | (uint32_t) (found - alphabet);
    held += 6;
    if (held >= 8) {
      held -= 8;
      *bytes++ = (uint8_t) (bits >> held);
      length--;
    }
  }
  return (bits & ((1u << held) - 1)) == 0;
}

/* $2a$ or $2b$, two digits, 22 characters of salt and 31 of the digest. */
static int read_hash (const char *hash, size_t length, Check *check) {
  if (length != HASH_LENGTH || (memcmp(hash, "$2a$", 4) != 0 && memcmp(hash, "$2b$", 4) != 0)) return 0;
  if (hash[4] < '0' || hash[4] > '3' || hash[5] < '0' || hash[5] > '9' || hash[6] != '$') return 0;
  check->cost = (unsigned) (hash[4] - '0') * 10 + (unsigned) (hash[5] - '0');
  if (check->cost < 4 || check->cost > MAX_COST) return 0;
  return decode(hash + 7, check->salt, 16) && decode(hash + 29, check->expected, DIGEST_BYTES);
}
