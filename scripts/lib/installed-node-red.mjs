// @ts-check
// Node-RED as users have it: installed from npm, run by a given Node.js, with the packed package in its user
// directory.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deploy, flowsLoaded } from "./node-red.mjs";
import { root } from "./paths.mjs";
import { HOST } from "./ports.mjs";

/** How long a step may take on a busy machine. */
const WAIT_MS = 120_000;
const READY_MS = 60_000;

/**
 * @typedef {{ name: string, value: unknown }} Shown what a debug node showed
 * @typedef {{ id: string, type: string, name?: string }} FlowNode
 */

/**
 * Its settings: those of `npm start`, without the nodes of this folder.
 *
 * @param {string} folder where the file is put
 * @returns {Promise<string>} the file
 */
export async function writeSettings(folder) {
  const file = join(folder, "settings.cjs");
  const own = JSON.stringify(join(root, "scripts/node-red-settings.cjs"));
  // Not a copy: Node-RED writes its port into this object, and the settings send it to the parent.
  const lines = [
    `const settings = require(${own});`,
    "delete settings.nodesDir;",
    "module.exports = settings;",
    "",
  ];
  await writeFile(file, lines.join("\n"));
  return file;
}

export class InstalledNodeRed {
  /** @type {Shown[]} */
  #shown = [];
  /** @type {Map<string, string>} */
  #statuses = new Map();
  /** @type {Set<() => void>} */
  #listeners = new Set();
  #log = "";
  /** The revision of the flows that run. */
  #running = "";

  /**
   * @param {import("./children.mjs").Children} children
   * @param {{ name: string, node: string, red: string, settings: string, userDir: string, env: NodeJS.ProcessEnv }} options
   *   `red` is Node-RED's own file; `env` is what flows find
   */
  constructor(children, options) {
    this.children = children;
    this.options = options;
    /** Of the editor; known once it is started. */
    this.url = "";
  }

  /** All output of the process. */
  get log() {
    return this.#log;
  }

  /** @throws {Error} when it ends before it is up */
  async start() {
    const { name, node, red, settings, userDir, env } = this.options;
    const secretFile = join(userDir, "credential-secret");
    await mkdir(userDir, { recursive: true });
    await writeFile(secretFile, "a secret for one run");
    const child = this.children.start(
      name,
      [red, "--settings", settings, "--userDir", userDir, "--port", "0"],
      { env: { ...env, CREC_CREDENTIAL_SECRET_FILE: secretFile }, stdout: "pipe", node },
    );
    child.stdout?.on("data", (chunk) => {
      this.#log += chunk;
    });
    const listening = await new Promise((resolve, reject) => {
      const ended = () => reject(new Error(`it ended before it was up:\n${this.#log}`));
      setTimeout(() => reject(new Error(`it was not up after ${READY_MS} ms`)), READY_MS).unref();
      child.once("message", resolve);
      child.once("exit", ended);
    });
    this.url = `http://${HOST}:${listening.port}/`;
    await flowsLoaded(this.url);
    await this.#listen();
  }

  /** @param {readonly FlowNode[]} flows with their credentials, as an example brings them */
  async deploy(flows) {
    const revision = await deploy(this.url, [...flows]);
    // Node-RED 5 responds before the flows run.
    await this.#until(
      () => this.#running === revision || undefined,
      () => "the flows did not start",
    );
  }

  /** @param {string} id of an inject node */
  async press(id) {
    const response = await fetch(new URL(`inject/${id}`, this.url), { method: "POST" });
    if (!response.ok) throw new Error(`there is no button ${id} (HTTP ${response.status})`);
  }

  /**
   * Waits for the output of the debug node of this name. @throws the error that the flow reports instead
   *
   * @param {string} name
   * @param {(value: any) => boolean} [accept]
   * @returns {Promise<any>}
   */
  showing(name, accept = () => true) {
    return this.#until(
      () => {
        const error = this.#shown.find((shown) => shown.name === "error");
        if (error) throw new Error(`the flow reported an error: ${JSON.stringify(error.value)}`);
        return this.#shown.find((shown) => shown.name === name && accept(shown.value))?.value;
      },
      () =>
        `nothing came to the debug node "${name}"; seen so far: ${JSON.stringify(this.#shown).slice(-2_000)}`,
    );
  }

  /**
   * Waits until a node has this status.
   *
   * @param {string} id
   * @param {(text: string) => boolean} accept
   * @returns {Promise<string>} its text
   */
  status(id, accept) {
    return this.#until(
      () => {
        const text = this.#statuses.get(id);
        return text !== undefined && accept(text) ? text : undefined;
      },
      () => `the status of ${id} is "${this.#statuses.get(id)}"`,
    );
  }

  async stop() {
    await this.children.stop(this.options.name);
  }

  /** Subscribes to the messages for the editor's debug sidebar and statuses. */
  async #listen() {
    const socket = new WebSocket(`${this.url.replace("http", "ws")}comms`);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve, { once: true });
      socket.addEventListener("error", () => reject(new Error("its editor cannot be listened to")), {
        once: true,
      });
    });
    for (const topic of ["debug", "status/#", "notification/#"])
      socket.send(JSON.stringify({ subscribe: topic }));
    socket.addEventListener("message", ({ data }) => {
      for (const { topic = "", data: content = {} } of JSON.parse(String(data))) this.#take(topic, content);
      for (const listener of this.#listeners) listener();
    });
  }

  /**
   * @param {string} topic
   * @param {{ name?: string, msg?: unknown, format?: string, text?: string, revision?: string }} content
   */
  #take(topic, { name = "", msg, format = "", text = "", revision = "" }) {
    if (topic === "notification/runtime-deploy") this.#running = revision;
    if (topic.startsWith("status/")) this.#statuses.set(topic.slice("status/".length), text);
    if (topic !== "debug") return;
    const isJson = typeof msg === "string" && /^(Object|array|error)/.test(format);
    this.#shown.push({ name, value: isJson ? JSON.parse(msg) : msg });
  }

  /**
   * @template T
   * @param {() => T | undefined} look
   * @param {() => string} explain
   * @returns {Promise<T>}
   */
  #until(look, explain) {
    return new Promise((resolve, reject) => {
      /** @param {() => void} settle */
      const end = (settle) => {
        clearTimeout(timer);
        this.#listeners.delete(check);
        settle();
      };
      const check = () => {
        try {
          const found = look();
          if (found !== undefined) end(() => resolve(found));
        } catch (error) {
          end(() => reject(error));
        }
      };
      const late = () => reject(new Error(`after ${WAIT_MS} ms ${explain()}`));
      const timer = setTimeout(() => end(late), WAIT_MS);
      this.#listeners.add(check);
      check();
    });
  }
}

/** @param {string} folder of an installed package @returns {Promise<string>} */
export async function versionOf(folder) {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")).version.replace(/^v/, "");
}
