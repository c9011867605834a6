/*
 * Node-API: `check(passwords, hashes, cost)` resolves to whether each password matches its hash.
 * It takes the time of 2^cost rounds, or of the most expensive hash.
 */
#define NAPI_VERSION 8
#include <node_api.h>
#include <stdlib.h>
#include "bcrypt.h"

typedef struct {
  napi_async_work work;
  napi_deferred deferred;
  int count;
  unsigned cost;
  unsigned matches;
  Check checks[MAX_LANES];
  Lane lanes[MAX_LANES];
} Batch;

static void release (napi_env env, Batch *batch) {
  if (batch->work) napi_delete_async_work(env, batch->work);
  wipe(batch->checks, sizeof batch->checks);
  free(batch);
}

/* In a thread of libuv's pool. */
static void run (napi_env env, void *data) {
  (void) env;
  Batch *batch = data;
  batch->matches = bcrypt_check(batch->checks, batch->count, batch->cost, batch->lanes);
}

static napi_value results_of (napi_env env, const Batch *batch) {
  napi_value results, result;
  if (napi_create_array_with_length(env, (size_t) batch->count, &results) != napi_ok) return NULL;
  for (int i = 0; i < batch->count; i++) {
    if (napi_get_boolean(env, batch->matches >> i & 1, &result) != napi_ok ||
        napi_set_element(env, results, (uint32_t) i, result) != napi_ok) return NULL;
  }
  return results;
}

static void reject (napi_env env, napi_deferred deferred) {
  napi_value text, error;
  if (napi_create_string_utf8(env, "the passwords were not checked", NAPI_AUTO_LENGTH, &text) == napi_ok &&
      napi_create_error(env, NULL, text, &error) == napi_ok) napi_reject_deferred(env, deferred, error);
}

/* In the event loop again. Where the environment is being torn down, no promise can be settled. */
static void settle (napi_env env, napi_status status, void *data) {
  Batch *batch = data;
  const napi_value results = status == napi_ok ? results_of(env, batch) : NULL;
  if (!results || napi_resolve_deferred(env, batch->deferred, results) != napi_ok) reject(env, batch->deferred);
  release(env, batch);
}

/* Copies one password and its hash: the caller may change the originals. */
static int read_check (napi_env env, napi_value passwords, napi_value hashes, uint32_t index, Check *check) {
  napi_value password, hash;
  void *bytes;
  /* One more character of UTF-8 than a hash has: a longer text is never cut to the length of a hash. */
  char text[HASH_LENGTH + 4 + 1];
  size_t length;
  bool is_buffer = false;
  if (napi_get_element(env, passwords, index, &password) != napi_ok) return 0;
  if (napi_is_buffer(env, password, &is_buffer) != napi_ok || !is_buffer) return 0;
  if (napi_get_element(env, hashes, index, &hash) != napi_ok) return 0;
  if (napi_get_value_string_utf8(env, hash, text, sizeof text, &length) != napi_ok) return 0;
  if (napi_get_buffer_info(env, password, &bytes, &check->length) != napi_ok) return 0;
  if (check->length > MAX_PASSWORD) return 0;
  if (check->length > 0) memcpy(check->password, bytes, check->length);
  return read_hash(text, length, check);
}

static napi_value fail (napi_env env, Batch *batch) {
  if (batch) release(env, batch);
  napi_throw_type_error(env, NULL, "expected one to four passwords of at most 72 bytes, as many bcrypt hashes, a cost");
  return NULL;
}

static napi_value check (napi_env env, napi_callback_info info) {
  napi_value arguments[3], promise, name;
  size_t given = 3;
  uint32_t count, hashes, cost;
  if (napi_get_cb_info(env, info, &given, arguments, NULL, NULL) != napi_ok || given < 3) return fail(env, NULL);
  if (napi_get_array_length(env, arguments[0], &count) != napi_ok || count < 1 || count > MAX_LANES ||
      napi_get_array_length(env, arguments[1], &hashes) != napi_ok || hashes != count ||
      napi_get_value_uint32(env, arguments[2], &cost) != napi_ok || cost > MAX_COST) return fail(env, NULL);

  Batch *batch = calloc(1, sizeof *batch);
  if (!batch) return fail(env, NULL);
  batch->count = (int) count;
  batch->cost = cost;
  for (uint32_t i = 0; i < count; i++) {
    if (!read_check(env, arguments[0], arguments[1], i, &batch->checks[i])) return fail(env, batch);
  }
  if (napi_create_string_utf8(env, "bcrypt", NAPI_AUTO_LENGTH, &name) != napi_ok ||
      napi_create_async_work(env, NULL, name, run, settle, batch, &batch->work) != napi_ok ||
      napi_create_promise(env, &batch->deferred, &promise) != napi_ok) return fail(env, batch);
  if (napi_queue_async_work(env, batch->work) != napi_ok) {
    reject(env, batch->deferred);
    release(env, batch);
  }
  return promise;
}

NAPI_MODULE_INIT() {
  napi_value function;
  if (napi_create_function(env, "check", NAPI_AUTO_LENGTH, check, NULL, &function) != napi_ok) return NULL;
  if (napi_set_named_property(env, exports, "check", function) != napi_ok) return NULL;
  return exports;
}
