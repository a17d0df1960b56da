/** Does so many of these works at a time; what fails is told together, at the end. */
export async function atOnce(count: number, works: ReadonlyArray<() => Promise<void>>): Promise<void> {
  const left = [...works];
  const failures: unknown[] = [];
  const worker = async () => {
    for (let work = left.shift(); work; work = left.shift())
      await work().catch((error) => failures.push(error));
  };
  await Promise.all(Array.from({ length: count }, worker));
  if (failures.length === 0) return;
  const told = failures.map((failure) => (failure instanceof Error ? failure.message : String(failure)));
  throw new AggregateError(failures, `${failures.length} failed:\n${told.slice(0, 40).join("\n")}`);
}
