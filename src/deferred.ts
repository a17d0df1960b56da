/** A promise, and the functions that settle it. */
type Deferred<T> = {
  promise: Promise<T>;
  resolve: (value: T | PromiseLike<T>) => void;
  reject: (reason: unknown) => void;
};

/** The same as `Promise.withResolvers`, which Node.js 20 does not have. */
export function deferred<T = void>(): Deferred<T> {
  let settle: Omit<Deferred<T>, "promise"> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // A promise calls its executor before its constructor returns.
  return { promise, ...(settle as unknown as Omit<Deferred<T>, "promise">) };
}
