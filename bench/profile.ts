// Where the CPU time of a process went, out of what its profiler says.

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

export interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** In microseconds, since the sample before. */
  readonly timeDeltas: readonly number[];
}

const shown = 30;

/** The functions that took most, by themselves, a line each; waiting does not count. */
export function summary({ nodes, samples, timeDeltas }: Profile): string {
  const nameOf = new Map(nodes.map(({ id, callFrame }) => [id, frameName(callFrame)]));
  const selfUs = new Map<string, number>();
  for (const [index, node] of samples.entries()) {
    const name = nameOf.get(node) ?? '';
    if (name !== '(idle)') selfUs.set(name, (selfUs.get(name) ?? 0) + (timeDeltas[index] ?? 0));
  }
  const total = [...selfUs.values()].reduce((sum, us) => sum + us, 0);
  const most = [...selfUs].toSorted(([, one], [, other]) => other - one).slice(0, shown);
  const share = (us: number): string => `${((us / total) * 100).toFixed(1).padStart(5)} %`;
  return [`${(total / 1_000_000).toFixed(2)} s busy`, ...most.map(([name, us]) => `${share(us)}  ${name}`)].join('\n');
}

function frameName({ functionName, url, lineNumber }: ProfileNode['callFrame']): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  const file = url.replace(/^.*\/(node_modules|src|bench)\//, '$1/');
  return file === '' ? name : `${name} ${file}:${lineNumber + 1}`;
}
