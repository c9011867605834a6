/**
 * In place of the package async-hook-domain, with which tap finds the test that an unhandled error belongs to.
 * It follows every promise, which takes a large part of the processor time. Here an unhandled error ends the process,
 * and the file that was running has failed.
 */
export class Domain {
  destroy () {}
}
