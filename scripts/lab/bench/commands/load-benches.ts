import { type Command, Option } from 'commander';
import { benchBurst } from '../burst';
import { benchFlood } from '../flood';
import { benchLoop } from '../loop';
import { benchReindex } from '../reindex';
import { benchSoak } from '../soak';
import { MODES } from '../vision-installation';
import { report } from './report';

interface FloodCommandOptions {
  readonly seconds: string;
  readonly factor: string;
  readonly products: string;
  readonly only?: string;
}

type ReindexCommandOptions = Readonly<
  Record<'images' | 'kills' | 'photos' | 'queries' | 'calm' | 'rounds', string>
> & { readonly model: 'bundled' | 'tiny' };

/** What is left for others while much is asked, and what stays when it is over. */
export function registerLoadBenches(program: Command): void {
  program
    .command('flood')
    .description(
      'photos at a multiple of the capacity beside catalog queries: what is accepted, refused, and how fast',
    )
    .option('--seconds <seconds>', 'length of the flood', '60')
    .option('--factor <factor>', 'arrivals as a multiple of the capacity', '10')
    .option('--products <products>', 'size of the generated catalog', '300')
    .option('--only <mode>', 'one mode, by a word of its name')
    .action(async (options: FloodCommandOptions) =>
      report(
        'flood',
        await benchFlood({
          seconds: Number(options.seconds),
          factor: Number(options.factor),
          products: Number(options.products),
          modes: MODES.filter((mode) => mode.includes(options.only ?? '')),
        }),
      ),
    );
  program
    .command('burst')
    .description('callers that all ask for a large page with prices at the same moment, beside item lookups')
    .option('--products <products>', 'size of the generated catalog', '1000')
    .option('--callers <callers>', 'of each burst', '50,200,500')
    .option('--only <mode>', 'one mode, by a word of its name')
    .action(async (options: { products: string; callers: string; only?: string }) =>
      report(
        'burst',
        await benchBurst({
          products: Number(options.products),
          callers: options.callers.split(',').map(Number),
          modes: MODES.filter((mode) => mode.includes(options.only ?? '')),
        }),
      ),
    );
  program
    .command('reindex')
    .description(
      'another model built beside the live one under load, killed and resumed, promoted and rolled back',
    )
    .option('--images <images>', 'pictures of the catalog', '100000')
    .option('--kills <kills>', 'how often the command or a worker is killed', '5')
    .option('--photos <photos>', 'photos a second', '2')
    .option('--queries <queries>', 'catalog queries a second', '5')
    .option('--calm <seconds>', 'of the load alone, before the build and once more after it', '60')
    .option('--rounds <rounds>', 'builds without a load, each beside the inference pool alone', '3')
    .addOption(
      new Option('--model <model>', 'tiny: one view that costs nothing, for many images')
        .choices(['bundled', 'tiny'] as const)
        .default('bundled'),
    )
    .action(async (options: ReindexCommandOptions) =>
      report(
        'reindex',
        await benchReindex({
          images: Number(options.images),
          kills: Number(options.kills),
          photosPerSecond: Number(options.photos),
          queriesPerSecond: Number(options.queries),
          calmSeconds: Number(options.calm),
          rounds: Number(options.rounds),
          model: options.model,
        }),
      ),
    );
  program
    .command('soak')
    .description(
      'thousands of identifications and lookups: whether memory and all else that is held stays flat',
    )
    .option('--calls <calls>', 'identifications, each of another photo', '10000')
    .option('--lookups <lookups>', 'lookups of items, between the identifications', '100000')
    .option('--products <products>', 'size of the generated catalog', '300')
    .action(async (options: { calls: string; lookups: string; products: string }) => {
      const { calls, lookups, products } = options;
      report(
        'soak',
        await benchSoak({ calls: Number(calls), lookups: Number(lookups), products: Number(products) }),
      );
    });
  program
    .command('loop')
    .description("what inference does to the event loop of the service's main thread")
    .option('--photos <photos>', 'photos to embed', '480')
    .action(async (options: { photos: string }) => report('loop', await benchLoop(Number(options.photos))));
}
