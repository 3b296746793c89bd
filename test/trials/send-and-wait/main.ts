/**
 * `npm run trial`: would an operation Send and Wait be better than desk/workflows/ask-and-wait.json? Runs each
 * trial in both ways, on a real n8n with the sandbox gateway, and prints a line for each: docs/send-and-wait.md
 * has the results. A word after `--` runs only the trials that have it in their name.
 */
import { stopAll } from '../../e2e/lib/processes';
import { House } from './house';
import { inAgent, inLists } from './review';
import { TRIALS, type Finding } from './trials';

async function main(): Promise<void> {
  const word = process.argv[2]?.toLowerCase() ?? '';
  const house = await House.open(print);
  try {
    for (const { name, run } of TRIALS.filter((each) => each.name.toLowerCase().includes(word))) {
      for (const way of house.ways) {
        report(way.name, name, await run(house, way));
      }
    }
    if ('human review'.includes(word)) {
      report('operation', 'Human review: lists of n8n', await inLists(house));
      report('operation', 'Human review: an approval', await inAgent(house, '1'));
      report('operation', 'Human review: a refusal', await inAgent(house, '2'));
    }
  } finally {
    await house.close();
  }
}

function report(way: string, trial: string, { holds, measured }: Finding): void {
  print(`${holds ? 'holds' : 'FAILS'}  ${way.padEnd(9)}  ${trial}: ${measured}`);
}

function print(line: string): void {
  console.log(line);
}

main()
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  })
  .finally(() => void stopAll().then(() => process.exit()));
