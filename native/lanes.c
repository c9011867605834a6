/*
 * Node-API: `open(threads, lanes, nice)` returns `check(password, hash, cost)`, which resolves to whether the password
 * matches. A check takes the time of 2^cost rounds, or of its hash if that is more expensive.
 *
 * Each thread checks up to `lanes` passwords at once. A password joins the thread with the fewest after its current
 * round, so that none waits for a lane while there is a free one. A thread starts when it is needed and ends when it
 * has nothing to do.
 */
#define NAPI_VERSION 8
#include <node_api.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include "bcrypt.h"

#define MAX_THREADS 256

typedef struct Job {
  struct Job *next;
  napi_deferred deferred;
  Check check;
  unsigned cost;
  int matches;
} Job;

/* What the threads share. `mutex` guards the list, `running`, and the choice of who takes the next job. */
typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t ended;
  Job *first, **last;
  atomic_int waiting;
  int threads, lanes, nice, running;
  /* How many passwords each thread has: -1 for one that does not run. */
  int busy[MAX_THREADS];
  atomic_bool closing;
  /* In the event loop: the checks that are not settled, and how to settle one. */
  unsigned pending;
  napi_threadsafe_function settle;
} Pool;

typedef struct {
  Pool *pool;
  int number;
} Thread;

static void discard (Job *job) {
  wipe(&job->check, sizeof job->check);
  free(job);
}

static void free_lane (Pool *pool, int number) {
  pthread_mutex_lock(&pool->mutex);
  pool->busy[number]--;
  pthread_mutex_unlock(&pool->mutex);
}

/* With the mutex: the next job, if no other thread has fewer. */
static Job *take (Pool *pool, int number) {
  Job *job = pool->first;
  if (!job || pool->busy[number] == pool->lanes) return NULL;
  for (int other = 0; other < pool->threads; other++) {
    if (pool->busy[other] >= 0 && pool->busy[other] < pool->busy[number]) return NULL;
  }
  pool->first = job->next;
  if (!pool->first) pool->last = &pool->first;
  atomic_fetch_sub(&pool->waiting, 1);
  pool->busy[number]++;
  return job;
}

/* Takes what there is. Returns false if the thread has nothing to do, and ends. */
static int fill (Pool *pool, int number, Lane *lanes, Job **jobs, int *count) {
  const int before = *count;
  pthread_mutex_lock(&pool->mutex);
  while ((jobs[*count] = take(pool, number))) ++*count;
  const int goes_on = *count > 0;
  if (!goes_on) {
    pool->busy[number] = -1;
    pool->running--;
    pthread_cond_signal(&pool->ended);
  }
  pthread_mutex_unlock(&pool->mutex);
  for (int lane = before; lane < *count; lane++) begin(&lanes[lane], &jobs[lane]->check, jobs[lane]->cost);
  return goes_on;
}

/* The last lane takes the place of one that is done. */
static void settle_done (Pool *pool, int number, Lane *lanes, Job **jobs, int *count) {
  for (int lane = 0; lane < *count; lane++) {
    if (lanes[lane].done < lanes[lane].all) continue;
    Job *job = jobs[lane];
    job->matches = finish(&lanes[lane], &job->check);
    --*count;
    if (lane < *count) {
      lanes[lane] = lanes[*count];
      jobs[lane] = jobs[*count];
      wipe(&lanes[*count], sizeof *lanes);
    }
    lane--;
    free_lane(pool, number);
    if (napi_call_threadsafe_function(pool->settle, job, napi_tsfn_nonblocking) != napi_ok) discard(job);
  }
}

static void *run (void *data) {
  const Thread thread = *(Thread *) data;
  Pool *pool = thread.pool;
  Lane lanes[MAX_LANES];
  /* One more, for what is not there. */
  Job *jobs[MAX_LANES + 1];
  int count = 0;
  free(data);
#ifdef __linux__
  /* Of this thread alone. */
  setpriority(PRIO_PROCESS, 0, pool->nice);
#endif
  for (;;) {
    const int wants_more = count == 0 || (count < pool->lanes && atomic_load(&pool->waiting) > 0);
    if (wants_more && !fill(pool, thread.number, lanes, jobs, &count)) break;
    if (atomic_load(&pool->closing)) {
      for (; count > 0; free_lane(pool, thread.number)) discard(jobs[--count]);
      continue;
    }
    advance(lanes, count);
    settle_done(pool, thread.number, lanes, jobs, &count);
  }
  wipe(lanes, sizeof lanes);
  return NULL;
}

/* With the mutex. Without a new thread, the others do its work. */
static void start_thread (Pool *pool) {
  Thread *thread = malloc(sizeof *thread);
  pthread_t id;
  if (!thread) return;
  thread->pool = pool;
  thread->number = 0;
  while (pool->busy[thread->number] >= 0) thread->number++;
  pool->busy[thread->number] = 0;
  pool->running++;
  if (pthread_create(&id, NULL, run, thread) == 0) {
    pthread_detach(id);
    return;
  }
  pool->busy[thread->number] = -1;
  pool->running--;
  free(thread);
}

static int add (Pool *pool, Job *job) {
  pthread_mutex_lock(&pool->mutex);
  if (pool->running < pool->threads) start_thread(pool);
  const int can_run = pool->running > 0;
  if (can_run) {
    *pool->last = job;
    pool->last = &job->next;
    atomic_fetch_add(&pool->waiting, 1);
  }
  pthread_mutex_unlock(&pool->mutex);
  return can_run;
}

/* Node can end when no check is left to settle. */
static void settled (napi_env env, Pool *pool) {
  if (--pool->pending == 0) napi_unref_threadsafe_function(env, pool->settle);
}

/* In the event loop again. Without an environment, it is being torn down, and no promise can be settled. */
static void settle (napi_env env, napi_value function, void *context, void *data) {
  Job *job = data;
  napi_value result;
  (void) function;
  if (env) {
    if (napi_get_boolean(env, job->matches, &result) == napi_ok) napi_resolve_deferred(env, job->deferred, result);
    settled(env, context);
  }
  discard(job);
}

static napi_value fail (napi_env env, Job *job) {
  if (job) discard(job);
  napi_throw_type_error(env, NULL, "expected a password of at most 72 bytes, a bcrypt hash, a cost");
  return NULL;
}

/* Copies the password: the caller may change the original. */
static int read_check (napi_env env, napi_value password, napi_value hash, Check *check) {
  void *bytes;
  /* One more character of UTF-8 than a hash has: a longer text is never cut to the length of a hash. */
  char text[HASH_LENGTH + 4 + 1];
  size_t length;
  bool is_buffer = false;
  if (napi_is_buffer(env, password, &is_buffer) != napi_ok || !is_buffer) return 0;
  if (napi_get_value_string_utf8(env, hash, text, sizeof text, &length) != napi_ok) return 0;
  if (napi_get_buffer_info(env, password, &bytes, &check->length) != napi_ok) return 0;
  if (check->length > MAX_PASSWORD) return 0;
  if (check->length > 0) memcpy(check->password, bytes, check->length);
  return read_hash(text, length, check);
}

static napi_value check (napi_env env, napi_callback_info info) {
  napi_value arguments[3], promise, text, error;
  size_t given = 3;
  void *data;
  if (napi_get_cb_info(env, info, &given, arguments, NULL, &data) != napi_ok || given < 3) return fail(env, NULL);
  Pool *pool = data;
  Job *job = calloc(1, sizeof *job);
  if (!job || napi_get_value_uint32(env, arguments[2], &job->cost) != napi_ok || job->cost > MAX_COST ||
      !read_check(env, arguments[0], arguments[1], &job->check) ||
      napi_create_promise(env, &job->deferred, &promise) != napi_ok) return fail(env, job);
  if (pool->pending++ == 0) napi_ref_threadsafe_function(env, pool->settle);
  if (!add(pool, job)) {
    if (napi_create_string_utf8(env, "no thread could be started", NAPI_AUTO_LENGTH, &text) == napi_ok &&
        napi_create_error(env, NULL, text, &error) == napi_ok) napi_reject_deferred(env, job->deferred, error);
    settled(env, pool);
    discard(job);
  }
  return promise;
}

/* At the end of the environment: what is being checked ends after its current round. */
static void close_pool (void *data) {
  Pool *pool = data;
  atomic_store(&pool->closing, true);
  pthread_mutex_lock(&pool->mutex);
  while (pool->running > 0) pthread_cond_wait(&pool->ended, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
}

static napi_value open (napi_env env, napi_callback_info info) {
  napi_value arguments[3], name, function;
  size_t given = 3;
  int32_t threads, lanes, nice;
  Pool *pool;
  if (napi_get_cb_info(env, info, &given, arguments, NULL, NULL) != napi_ok || given < 3 ||
      napi_get_value_int32(env, arguments[0], &threads) != napi_ok || threads < 1 || threads > MAX_THREADS ||
      napi_get_value_int32(env, arguments[1], &lanes) != napi_ok || lanes < 1 || lanes > MAX_LANES ||
      napi_get_value_int32(env, arguments[2], &nice) != napi_ok || !(pool = calloc(1, sizeof *pool))) {
    napi_throw_type_error(env, NULL, "expected a number of threads, of lanes, and a priority");
    return NULL;
  }
  pool->threads = threads;
  pool->lanes = lanes;
  pool->nice = nice;
  pool->last = &pool->first;
  for (int number = 0; number < threads; number++) pool->busy[number] = -1;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->ended, NULL);
  /* The pool stays until the process ends: the function may be called until then. */
  if (napi_create_string_utf8(env, "bcrypt", NAPI_AUTO_LENGTH, &name) != napi_ok ||
      napi_create_threadsafe_function(env, NULL, NULL, name, 0, 1, NULL, NULL, pool, settle, &pool->settle) != napi_ok ||
      napi_unref_threadsafe_function(env, pool->settle) != napi_ok ||
      napi_add_env_cleanup_hook(env, close_pool, pool) != napi_ok ||
      napi_create_function(env, "check", NAPI_AUTO_LENGTH, check, pool, &function) != napi_ok) return NULL;
  return function;
}

NAPI_MODULE_INIT() {
  napi_value function;
  if (napi_create_function(env, "open", NAPI_AUTO_LENGTH, open, NULL, &function) != napi_ok) return NULL;
  if (napi_set_named_property(env, exports, "open", function) != napi_ok) return NULL;
  return exports;
}
