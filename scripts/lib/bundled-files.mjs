// @ts-check

/**
 * The files whose code is in the bundle: esbuild reads more of a package than it keeps.
 *
 * @param {import("esbuild").Metafile} metafile
 */
export function bundledFiles(metafile) {
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((path) => (inputs[path]?.bytesInOutput ?? 0) > 0),
  );
}
