import { fileURLToPath } from "node:url";
import { SERVICE_PROGRAM } from "../../scripts/test/service-program.mjs";

/** The local service for a process of its own: as one file where `npm test` has made that, else its source. */
export const serviceProgram: string =
  process.env[SERVICE_PROGRAM] ?? fileURLToPath(new URL("../../service/src/cli.ts", import.meta.url));
