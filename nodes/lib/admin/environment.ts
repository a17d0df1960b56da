/** A form holds `${NAME}` as typed; only deployed nodes get the value from Node-RED. */
export function fromEnvironment(value: string): string {
  const name = /^\$\{(\S+)\}$/.exec(value)?.[1];
  return name === undefined ? value : (process.env[name] ?? "");
}
