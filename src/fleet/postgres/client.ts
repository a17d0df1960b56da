import type { Socket } from "node:net";
import postgres from "postgres";
import type { DriverSettings } from "../driver-settings.ts";
import type { Column, Run } from "./schema.ts";
import { Sockets } from "./socket.ts";

/** Statements of one copy that run at the same time; more wait for these. */
const MOST_CONNECTIONS = 4;
const IDLE_SECONDS = 60;

/** The types of the client omit `socket`. */
type ClientOptions = postgres.Options<Record<string, postgres.PostgresType>> & {
  socket: () => Promise<Socket>;
};

type PostgresClient = {
  run: Run;
  close(): Promise<void>;
  destroy(): void;
};

/**
 * Connections that are made as they are needed. Statements are prepared by name, which spares a round trip; with
 * `?prepare=false` in the URL they are not, for poolers that do not know such names.
 */
export function postgresClient(settings: DriverSettings): PostgresClient {
  const sockets = new Sockets();
  const prepare = settings.query.get("prepare") !== "false";
  const sql = postgres(optionsOf(settings, { prepare, sockets }));
  return {
    run: async (text, parameters) =>
      sql.unsafe<Array<Record<string, Column>>>(text, [...parameters], { prepare }),
    close: () => sql.end(),
    destroy: () => {
      // The client says goodbye and waits for the server to close its sockets.
      void sql.end({ timeout: 0 }).finally(() => sockets.destroy());
    },
  };
}

function optionsOf(
  settings: DriverSettings,
  { prepare, sockets }: { prepare: boolean; sockets: Sockets },
): ClientOptions {
  const { hosts, user, password, database, query, timeoutMs } = settings;
  const startup = query.get("options");
  let next = 0;
  return {
    ...(user === undefined ? {} : { user }),
    // Given no password, the client would send that of PGPASSWORD to the host of any URL.
    password: () => password ?? "",
    ...(database === "" ? {} : { database }),
    prepare,
    max: MOST_CONNECTIONS,
    idle_timeout: IDLE_SECONDS,
    connect_timeout: Math.ceil(timeoutMs / 1_000),
    // Each call tries once; when to call again is decided by those who call.
    backoff: () => 0,
    fetch_types: false,
    onnotice: () => {},
    // The sockets have it.
    ssl: false,
    connection: {
      application_name: query.get("application_name") ?? "crec",
      ...(startup === undefined ? {} : { options: startup }),
    },
    ...(hosts.length > 1 ? { target_session_attrs: "read-write" as const } : {}),
    socket: () => {
      const first = next;
      next += 1;
      return sockets.connect(settings, first);
    },
  };
}
