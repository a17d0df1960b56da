// What a closed function does: it throws an error that says why.

/** Of a call that a rehearsal does not make. */
export const CLOSED = "REHEARSAL_CLOSED";

/**
 * Replaces functions and classes of an object for good. Names that this Node.js does not have are skipped. A later
 * assignment changes nothing and does not throw, as some packages replace functions of Node.js when they are loaded.
 *
 * @param of what the error calls the object, such as `net`
 */
export function close(owner: object | undefined, of: string, names: readonly string[]): void {
  replace(owner, of, names, closed);
}

/** The same, for functions that return a promise: it rejects. */
export function closeAsync(owner: object | undefined, of: string, names: readonly string[]): void {
  replace(owner, of, names, closedAsync);
}

/** All functions of an object but these. */
export function closeAll(owner: object, of: string, but: readonly string[]): void {
  close(owner, of, functionsOf(owner, but));
}

/** All functions of an object that return a promise, but these. */
export function closeAllAsync(owner: object, of: string, but: readonly string[]): void {
  closeAsync(owner, of, functionsOf(owner, but));
}

function replace(
  owner: object | undefined,
  of: string,
  names: readonly string[],
  make: (name: string) => unknown,
): void {
  if (owner === undefined) return;
  for (const name of names.filter((each) => each in owner)) {
    const value = make(`${of}.${name}`);
    Object.defineProperty(owner, name, { get: () => value, set: () => {}, configurable: false });
  }
}

/** It can be called, constructed and extended. */
function closed(name: string): unknown {
  return () => {
    throw refusal(name);
  };
}

function closedAsync(name: string): unknown {
  return () => Promise.reject(refusal(name));
}

function refusal(name: string): Error {
  const text = `This is a rehearsal, which sends nothing and starts no programs: ${name} is closed. Use a node that sends, such as http request: the rehearsal notes its message, and a test reply can answer.`;
  return Object.assign(new Error(text), { code: CLOSED });
}

function functionsOf(owner: object, but: readonly string[]): string[] {
  return Object.getOwnPropertyNames(owner).filter((name) => {
    const { value } = Object.getOwnPropertyDescriptor(owner, name) ?? {};
    return typeof value === "function" && name !== "constructor" && !but.includes(name);
  });
}
