// What a closed function does: it throws an error that says why.

/** Of a call that a rehearsal does not make. */
const CLOSED = "REHEARSAL_CLOSED";

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

/**
 * @param make what a name has from now on; it is given the name as the error says it, and what was there
 * @param configurable whether a package may define the name anew. It then has what the package gives, and nothing else
 */
export function replace(
  owner: object | undefined,
  of: string,
  names: readonly string[],
  make: (name: string, was: unknown) => unknown,
  configurable = false,
): void {
  if (owner === undefined) return;
  for (const name of names.filter((each) => each in owner)) {
    const value = make(`${of}.${name}`, (owner as Record<string, unknown>)[name]);
    Object.defineProperty(owner, name, { get: () => value, set: () => {}, configurable });
  }
}

/** It can be called, constructed and extended. */
export function closed(name: string): unknown {
  // biome-ignore lint/complexity/useArrowFunction: an arrow function cannot be constructed.
  return function () {
    throw refusal(name);
  };
}

function closedAsync(name: string): unknown {
  return () => Promise.reject(refusal(name));
}

/** The error of a closed function. */
export function refusal(name: string): Error {
  const text = `This is a rehearsal, which sends nothing, writes no files and starts no programs: ${name} is closed. Use a node that sends or writes, such as http request or file: the rehearsal notes its message, and a test reply can answer.`;
  return Object.assign(new Error(text), { code: CLOSED });
}

function functionsOf(owner: object, but: readonly string[]): string[] {
  return Object.getOwnPropertyNames(owner).filter(
    (name) => isFunction(owner, name) && name !== "constructor" && !but.includes(name),
  );
}

/** Some classes of Node.js are behind a getter; other getters need an instance. */
function isFunction(owner: object, name: string): boolean {
  try {
    return typeof (owner as Record<string, unknown>)[name] === "function";
  } catch {
    return false;
  }
}
