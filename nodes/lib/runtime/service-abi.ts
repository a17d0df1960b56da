import type { Abi } from "../../../src/index.ts";
import type { Library } from "./library.ts";

/** Events of the watcher services of the local service that are no extensions of the platform. */
export const LOCAL_EVENTS: Readonly<Record<string, string>> = {
  erc20: `event Transfer(address indexed from, address indexed to, uint256 value)
event Approval(address indexed owner, address indexed spender, uint256 value)`,
  sensor: `struct Reading { int256 value; uint64 takenAt; uint8 quality; bool alarm; }
event SensorReading(bytes32 indexed sensorId, address indexed reporter, int256 value, uint64 takenAt, uint8 quality, bool alarm, string unit, bytes payload)
event SensorBatch(bytes32 indexed sensorId, string indexed site, int64[] samples, Reading last)`,
};

/** The ABI by which a watcher service reads its events; undefined where that is not known. */
export function serviceAbi(
  service: unknown,
  { extensionAbi, parseAbi }: Pick<Library, "extensionAbi" | "parseAbi">,
): Abi | undefined {
  const isLocal = typeof service === "string" && Object.hasOwn(LOCAL_EVENTS, service);
  return isLocal ? parseAbi(LOCAL_EVENTS[service] ?? "") : extensionAbi(service);
}
