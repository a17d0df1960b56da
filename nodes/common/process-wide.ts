/**
 * Something of which a process has one, however often Node-RED loads this package: after an update without a restart,
 * and from several folders.
 * @example
 * const locks = processWide("locks", () => new Map<string, Lock>());
 */
export function processWide<T>(name: string, make: () => T): T {
  const shared = globalThis as { [name: symbol]: unknown };
  const key = Symbol.for(`node-red-crec.${name}`);
  if (!(key in shared)) shared[key] = make();
  return shared[key] as T;
}
