/**
 * Something of which a process has one, however many nodes use it: the file of each node type is bundled alone, and has
 * its own copy of every module.
 * @example
 * const locks = processWide("locks", () => new Map<string, Lock>());
 */
export function processWide<T>(name: string, make: () => T): T {
  const shared = globalThis as { [name: symbol]: unknown };
  const key = Symbol.for(`node-red-crec.${name}`);
  if (!(key in shared)) shared[key] = make();
  return shared[key] as T;
}
