// Compiles service/contracts/*.sol into contracts/artifacts/*.json (ABI and creation bytecode).
// The output depends on the sources and the pinned compiler alone, so a test can compile again and compare.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import solc from "solc";

const folder = new URL("../contracts/", import.meta.url);

/** @returns {Promise<Record<string, { abi: unknown[], bytecode: string }>>} one artifact a contract, by name */
export async function compileContracts() {
  const sources = {};
  for (const file of (await readdir(folder)).filter((name) => name.endsWith(".sol")).sort()) {
    sources[file] = { content: await readFile(new URL(file, folder), "utf8") };
  }
  const input = {
    language: "Solidity",
    sources,
    settings: {
      optimizer: { enabled: true, runs: 200 },
      // Paris: no PUSH0 or MCOPY, so that any EVM chain takes the code.
      evmVersion: "paris",
      metadata: { bytecodeHash: "none", appendCBOR: false },
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const errors = (output.errors ?? []).filter((error) => error.severity === "error");
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join("\n"));

  const artifacts = {};
  for (const contracts of Object.values(output.contracts)) {
    for (const [name, contract] of Object.entries(contracts)) {
      artifacts[name] = { abi: contract.abi, bytecode: `0x${contract.evm.bytecode.object}` };
    }
  }
  return artifacts;
}

/** @param {unknown} artifact */
export function artifactText(artifact) {
  return `${JSON.stringify(artifact, null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [name, artifact] of Object.entries(await compileContracts())) {
    await writeFile(new URL(`artifacts/${name}.json`, folder), artifactText(artifact));
  }
}
