/** A database server as the tests of a fleet use it: PostgreSQL or Redis. */
export type Engine = {
  readonly port: number;
  /** Its URL through a proxy on 127.0.0.1. */
  urlAt(port: number): string;
  kill(): Promise<void>;
  /** With the same data, on the same port. */
  restart(): Promise<void>;
  remove(): Promise<void>;
};
