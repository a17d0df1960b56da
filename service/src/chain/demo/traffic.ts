import { encodeFunctionData, stringToHex } from "viem";
import type { Address } from "../../../../src/protocol/index.ts";
import type { Context } from "../../context.ts";
import { messageOf } from "../../errors.ts";
import { now } from "../../time.ts";
import type { TransactionRequest } from "../relayer.ts";
import { artifact } from "./contracts.ts";

/** How many of each per second. */
type Rates = { transfersPerSecond: number; readingsPerSecond: number };

const TICK_MS = 100;
/** A chain that falls behind by more than this does not catch up. */
const MAX_BACKLOG_MS = 1000;
const RECEIVERS = ["1", "2", "3", "4", "5"].map((digit): Address => `0x${digit.repeat(40)}`);
/** A thousandth of a token: the first supply lasts for years. */
const STEP = 10n ** 15n;
const SENSORS = ["boiler-1", "boiler-2", "cold-store-1"].map((name) => stringToHex(name, { size: 32 }));

/** Demo traffic on a development chain: transfers of the demo token and readings of sensors, at given rates. */
export class Traffic {
  readonly #context: Context;
  readonly #due: Rates = { transfersPerSecond: 0, readingsPerSecond: 0 };
  #rates: Rates = { transfersPerSecond: 0, readingsPerSecond: 0 };
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #lastTick = 0;
  #ticking: Promise<void> | undefined;

  constructor(context: Context) {
    this.#context = context;
  }

  get rates(): Rates {
    return this.#rates;
  }

  /** Sets the rates; nothing is sent while both are 0. */
  setRates(rates: Rates): void {
    this.#rates = { ...rates };
    Object.assign(this.#due, { transfersPerSecond: 0, readingsPerSecond: 0 });
    this.#lastTick = performance.now();
    if (this.#ticking === undefined) this.#schedule();
  }

  /** Stops the traffic; resolves when the current transactions are sent. */
  async stop(): Promise<void> {
    this.setRates({ transfersPerSecond: 0, readingsPerSecond: 0 });
    await this.#ticking;
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#rates.transfersPerSecond + this.#rates.readingsPerSecond === 0) return;
    this.#timer = setTimeout(() => {
      this.#ticking = this.#tick()
        .catch((error: unknown) => this.#context.log.warn(`Error with demo traffic: ${messageOf(error)}`))
        .finally(() => {
          this.#ticking = undefined;
          this.#schedule();
        });
    }, TICK_MS);
  }

  async #tick(): Promise<void> {
    const passed = Math.min(performance.now() - this.#lastTick, MAX_BACKLOG_MS);
    this.#lastTick = performance.now();
    await this.#sendDue("transfersPerSecond", passed, () => this.#transfer());
    await this.#sendDue("readingsPerSecond", passed, () => this.#reading());
  }

  async #sendDue(kind: keyof Rates, passedMs: number, make: () => TransactionRequest): Promise<void> {
    this.#due[kind] += (this.#rates[kind] * passedMs) / 1000;
    while (this.#due[kind] >= 1) {
      this.#due[kind] -= 1;
      this.#count += 1;
      await this.#context.relayer.send(make());
      this.#context.ticker.wake();
    }
  }

  #transfer(): TransactionRequest {
    const args = [RECEIVERS[this.#count % RECEIVERS.length], STEP * BigInt(1 + (this.#count % 100))];
    const { abi } = artifact("DemoToken");
    return {
      to: this.#context.contracts.DemoToken,
      data: encodeFunctionData({ abi, functionName: "transfer", args }),
    };
  }

  /** A temperature that rises and falls, with an alarm at the top. */
  #reading(): TransactionRequest {
    const value = 60_000 + Math.round(25_000 * Math.sin(this.#count / 10));
    const sensor = SENSORS[this.#count % SENSORS.length];
    const args = [sensor, BigInt(value), BigInt(now()), 98, value > 80_000, "°C", "0x"];
    const { abi } = artifact("SensorRegistry");
    return {
      to: this.#context.contracts.SensorRegistry,
      data: encodeFunctionData({ abi, functionName: "report", args }),
    };
  }
}
