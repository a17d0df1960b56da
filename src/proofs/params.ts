import type { Fields } from "./signed-text.ts";
export function namedParams(_abi: readonly unknown[], _log: Fields, params: Fields): Fields {
  return params;
}
