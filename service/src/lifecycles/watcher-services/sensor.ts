import { formatUnits, hexToString } from "viem";
import type { Hex } from "../../../../src/protocol/index.ts";
import { eventsOf } from "../../chain/demo/contracts.ts";
import { rfc3339 } from "../../time.ts";
import { missingContract, unknownSetting, type WatcherService } from "./service.ts";

/** Readings are in thousandths of their unit. */
const READING_DECIMALS = 3;
/** The last second that fits a date. */
const LAST_SECOND = 8.64e12;

/**
 * `sensor`: readings of the demo contract SensorRegistry, in their units. The setting `sensors` lists the sensors to
 * report, as their ids of 32 bytes or as the text that these hold; without it all are.
 *
 * `data` of SensorReading: `{sensor_id, sensor?, reporter, value, unit, taken_at, quality, alarm, payload}`, of
 * SensorBatch: `{sensor_id, sensor?, site_hash, samples, last: {value, taken_at, quality, alarm}}`. Values are
 * decimal text, `sensor` is the id as text where it is one.
 */
export const sensor: WatcherService = {
  events: eventsOf("SensorRegistry"),

  async refusal(chain, address, config) {
    const unknown = unknownSetting(config, ["sensors"]);
    if (unknown !== undefined) return unknown;
    if (config.sensors !== undefined && sensorsOf(config.sensors) === undefined) {
      return "service_config.sensors must be a list of sensors, each as text.";
    }
    return await missingContract(chain, address);
  },

  async dataOf(_chain, { event, params }, config) {
    const { sensor_id: id, ...rest } = params;
    const name = nameOf(String(id));
    const wanted = sensorsOf(config.sensors);
    if (wanted !== undefined && !wanted.includes(String(id)) && !wanted.includes(name ?? ""))
      return undefined;
    const who = { sensor_id: id, ...(name === undefined ? {} : { sensor: name }) };
    if (event === "SensorReading") {
      const { reporter, value, unit, payload } = rest;
      return { ...who, reporter, value: reading(value), unit, ...state(rest), payload };
    }
    // Inside a tuple, names are as in the ABI.
    const { value, takenAt, ...last } = rest.last as Record<string, unknown>;
    return {
      ...who,
      site_hash: rest.site,
      samples: (rest.samples as unknown[]).map(reading),
      last: { value: reading(value), ...state({ ...last, taken_at: takenAt }) },
    };
  },
};

function state({ taken_at, quality, alarm }: Readonly<Record<string, unknown>>) {
  return { taken_at: timeOf(taken_at), quality, alarm };
}

function reading(thousandths: unknown): string {
  return formatUnits(integer(thousandths), READING_DECIMALS);
}

/** RFC 3339; the seconds for a time that fits no date. */
function timeOf(seconds: unknown): string {
  const time = integer(seconds);
  return time <= LAST_SECOND ? rfc3339(Number(time)) : String(time);
}

/** An integer as it is signed: decimal text, a number, or one that `JSON.stringify` writes unrounded. */
function integer(value: unknown): bigint {
  return BigInt(typeof value === "string" ? value : JSON.stringify(value));
}

function sensorsOf(setting: unknown): string[] | undefined {
  if (!Array.isArray(setting) || !setting.every((item) => typeof item === "string")) return undefined;
  return setting.map((item) => (/^0x[0-9a-fA-F]{64}$/.test(item) ? item.toLowerCase() : item));
}

/** The text in an id of 32 bytes, where all of it can be read. */
function nameOf(id: string): string | undefined {
  const text = hexToString(id.replace(/(00)+$/, "") as Hex);
  return /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(text) ? text : undefined;
}
