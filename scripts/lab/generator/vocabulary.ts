/*
 * The words of the generated catalogs: fictional maisons, what they make, and what it is made of. Everything that is named in a
 * bundle comes from these tables.
 */

const words = (text: string): readonly string[] => text.trim().split(/\s*\n\s*|\s*, \s*/);

/** A named value of a facet: the end of its entity id, its name, its colour, and how common it is. */
export interface Named {
  readonly slug: string;
  readonly name: string;
  readonly value: string;
  readonly weight: number;
}

/** One value a line: name, colour, weight. */
const named = (text: string): readonly Named[] =>
  words(text).map((line) => {
    const [name = '', value = '', weight = '1'] = line.split(' | ');
    return { slug: slugOf(name), name, value, weight: Number(weight) };
  });

/** A name as the end of an id: Latin letters without accents, digits and hyphens. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');

export const MAISONS = {
  stems: words(
    'Vaur, Lorn, Belm, Aubr, Ocel, Thér, Mirav, Sorv, Dray, Elsk, Fontv, Galv, Hesp, Ivr, Jorv, Kaed, Lysand, Merid, Noct, Oriv, Perl, Quill, Rav, Séver, Umbr, Valm, Wexf, Ysol, Zél, Ambr, Brév, Corv, Dulc, Émér, Falk, Grisv, Halv, Isaur, Cœurd, Ågr',
  ),
  endings: words(
    'elle, ard, ieux, ini, ova, stein, quist, eau, ière, ano, ane, oux, ent, olle, aque, and, igny, ault, esca, ora, ona, uet, ays, ier, orne, ette, enne, ax, ñola, ström',
  ),
  /** Around a stem (`*`): accents, articles, digits and punctuation in all places. */
  forms: words(
    "*, Maison *, Le *, L'Atelier *, *, The * House, * & Fils, É. *, 47 *, La Compagnie *, À la *, * 1884, .*, «*»",
  ),
  /** Names in other scripts, with their Latin form. */
  otherScripts: words(
    'Αυγή | Avgi, 月影 | Tsukikage, Заря | Zarya, Θάλασσα | Thalassa, カグラ | Kagura, Лазурь | Lazur, Σελήνη | Selini, 花車 | Hanaguruma, Полюс | Polyus, Ἀστερία | Asteria, 朝霧 | Asagiri, Ветер | Veter',
  ),
};

export const BAG_NOUNS = words(
  'Ondine, Étoile, Sérénade, Ardoise, Lagune, Mélodie, Passerelle, Opéra, Céleste, Brume, Clé, Galerie, Orangerie, Promenade, Échappée, Volute, Marquise, Tuileries, Cabriole, Alouette, Ivoire, Palissade, Rotonde, Ombrelle, Silhouette, Capucine, Dentelle, Esquisse, Fugue, Gondole, Hirondelle',
);
export const WATCH_NOUNS = words(
  'Régate, Méridien, Sélène, Aviateur, Océane, Pontoise, Équinoxe, Chancel, Polaris, Nocturne, Héraut, Corsaire, Solstice, Tempête, Altitude, Belvédère, Cadence, Élégie, Frégate, Galilée, Hémisphère, Isthme, Jalon, Kairos, Longitude, Mistral, Nadir, Orphée, Périple, Quadrant',
);
/** What follows a noun that was used before, or the material of a style. */
export const MOODS = words(
  'Éclipse, Nuit, Aube, Classique, Héritage, Riviera, Été, Hiver, Sport, Noce, Bohème, Ligne, Azur, Voyage, Iconique, Atelier, Rêve, Royale, Nomade, Cité, Jardin',
);
/** Around the noun (`*`) of a model; `#` is its cut. The nouns are feminine. */
export const MODEL_FORMS = words('*, * #, The * #, * #, La *, *, La *, 24 *, Petite *, “*”');
/** How the sizes of a model are named, smallest first. */
export const SIZES: readonly (readonly string[])[] = [
  words('20, 25, 28, 30, 35, 40'),
  words('Mini, Small, Medium, Large, Maxi, Travel'),
  words('Nano, BB, PM, MM, GM, XL'),
  words('Micro, Bébé, Petit, Moyen, Grand, Très Grand'),
];

/** What else a cut of bag is called by those who look for one. */
export const BAG_SYNONYMS = {
  tote: words('shopper, cabas, shopping bag'),
  flap: words('crossbody, shoulder bag, sac à rabat'),
  hobo: words('slouchy bag, shoulder bag'),
  bucket: words('drawstring bag, sac seau'),
  satchel: words('school bag, cartable'),
  clutch: words('pochette, evening bag, envelope'),
  'top handle': words('handbag, sac à main, lady bag'),
  backpack: words('rucksack, sac à dos'),
  bowling: words('duffle, boston bag'),
  camera: words('crossbody, camera case'),
  saddle: words('saddlebag, crossbody'),
} as const;
export type BagCut = keyof typeof BAG_SYNONYMS;

/** What bags are made of: the name in a shop, and how common it is. */
export const SURFACES = {
  smooth: ['Calfskin', 15],
  grained: ['Grained Leather', 16],
  quilted: ['Quilted Lambskin', 11],
  canvas: ['Canvas', 13],
  saffiano: ['Saffiano', 7],
  suede: ['Suede', 6],
  patent: ['Patent Leather', 4],
  chevron: ['Chevron Lambskin', 5],
  channel: ['Channel Nappa', 3],
  woven: ['Intreccio', 6],
  crocodile: ['Crocodile', 5],
  python: ['Python', 3],
  ostrich: ['Ostrich', 3],
  lizard: ['Lizard', 2],
  denim: ['Denim', 2],
  tweed: ['Tweed', 3],
  raffia: ['Raffia', 3],
} as const;
export type Surface = keyof typeof SURFACES;
export const EXOTIC: readonly Surface[] = ['crocodile', 'python', 'ostrich', 'lizard'];
export const TEXTILE: readonly Surface[] = ['canvas', 'denim', 'tweed', 'raffia'];

export const PATTERNS = {
  plain: '',
  monogram: 'Monogram',
  web: 'Web Stripe',
  check: 'Check',
  block: 'Bicolore',
  studs: 'Cloutée',
  print: 'Fleurie',
} as const;
export type Pattern = keyof typeof PATTERNS;

/** What watches do beside telling the time, in the names of models; the first also as a keyword. */
export const COMPLICATIONS = {
  none: words('Automatic, Date, Heritage, Trois Aiguilles'),
  'small seconds': words('Small Seconds, Petite Seconde'),
  chronograph: words('Chronograph, Chrono'),
  bicompax: words('Bicompax, Chronograph Bicompax'),
  moonphase: words('Moonphase, Phase de Lune'),
  gmt: words('GMT, Voyageur'),
  'power reserve': words('Power Reserve, Réserve de Marche'),
  calendar: words('Perpetual Calendar, Quantième Perpétuel'),
} as const;
export type Complication = keyof typeof COMPLICATIONS;

/** What collectors call a model with such a bezel. */
export const BEZEL_NICKNAMES = {
  plain: [],
  step: [],
  fluted: [],
  coin: [],
  diver: words('Lagoon, Deep, Kraken, Anemone'),
  tachymeter: words('Racer, Paddock, Apex'),
  screws: words('Porthole, Rivet'),
  gems: words('Chandelier, Frost'),
} as const;
export type Bezel = keyof typeof BEZEL_NICKNAMES;

export const DIAL_FINISHES = {
  sunburst: 'Sunburst',
  plain: 'Lacquer',
  clous: 'Clous de Paris',
  waves: 'Vagues',
  tapisserie: 'Tapisserie',
  grained: 'Grené',
  pearl: 'Mother-of-Pearl',
  meteorite: 'Meteorite',
  fume: 'Fumé',
} as const;
export type DialFinish = keyof typeof DIAL_FINISHES;

export const INDICES = {
  batons: '',
  roman: 'Roman',
  arabic: 'Arabic',
  dots: '',
  gems: 'Diamond',
  wedges: '',
} as const;
export type Indices = keyof typeof INDICES;

export const STRAPS = {
  oyster: 'Three-Link Bracelet',
  jubilee: 'Five-Link Bracelet',
  mesh: 'Milanese Mesh',
  leather: 'Leather',
  alligator: 'Alligator',
  rubber: 'Rubber',
  nato: 'NATO',
  satin: 'Satin',
} as const;
export type Strap = keyof typeof STRAPS;
export const BRACELETS: readonly Strap[] = ['oyster', 'jubilee', 'mesh'];

export const LEATHER_COLOURS = named(
  'Noir | #17161a | 8, Blanc | #efece6 | 3, Ivoire | #e6dcc6 | 3, Crème Brûlée | #d9c39a, Beige Sablé | #c4a884 | 4, Camel | #b07a42 | 4, Cognac | #93531f | 5, Chocolat | #4a2c1c | 5, Taupe | #7d7066 | 4, Étain | #69696b | 2, Gris Perle | #b4b4b6 | 2, Anthracite | #3a3c42 | 3, Bleu Nuit | #18244a | 3, Marine | #1d3461 | 4, Cobalt | #1f4fc0, Bleu Jean | #5b80a8, Ciel | #a7cbe6, Turquoise | #2aa8ad, Émeraude | #0c7a52, Vert Anglais | #17452f | 2, Olive | #666a34, Sauge | #9cab8c, Menthe | #a9dcc4, Pistache | #bccf76, Jaune Citron | #f0d53c, Moutarde | #bf8f1f, Safran | #e5a12c, Orange Feu | #e6621e, Corail | #ee7a66, Rouge Vermillon | #c1202a | 3, Bordeaux | #5d1526 | 3, Framboise | #b01e58, Fuchsia | #e02a8e, Rose Poudré | #e3b3b4 | 2, Rose Sakura | #f2c9d6, Lilas | #b7a1d3, Prune | #4e2348, Violet | #6a37a4, Terracotta | #ae5638, Kaki | #8a7e58, Or | #c7a352, Argent | #bfc3c8',
);
export const DIAL_COLOURS = named(
  'Black | #141518 | 8, White | #f3f3f0 | 5, Silver | #cfd2d5 | 6, Champagne | #dcc48f | 3, Blue | #1c3f86 | 6, Midnight | #131e3c | 3, Ice Blue | #b3d4e2, Turquoise | #4fbfc4, Green | #175436 | 3, Olive | #5a5c38, Mint | #a5d6c0, Slate | #565b61 | 3, Anthracite | #33363b | 3, Salmon | #dd9f83, Ivory | #efe5cd | 2, Burgundy | #601a27, Red | #a81d22, Chocolate | #4a2f20, Bronze | #8a6437, Yellow | #e6bf35, Orange | #dd6a26, Coral | #e5796f, Pink | #e3aebd, Purple | #503274',
);
export const METALS = named(
  'Steel | #b3b7bd | 8, Yellow Gold | #d3a84a | 4, Rose Gold | #cf9478 | 3, Palladium | #cdd0d4 | 3, Ruthenium | #5d6066, Bronze | #94703f, Black | #2c2d30, Titanium | #85888b',
);
/** What a case of a metal costs, against steel. */
export const METAL_WORTH: Readonly<Record<string, number>> = {
  'yellow-gold': 3.4,
  'rose-gold': 3.2,
  palladium: 3.6,
  titanium: 1.2,
  bronze: 1.1,
};

/** Regions with their currency and what a dollar's worth costs there (contract 2.4). */
export const REGIONS = [
  { id: 'NA', currency: 'usd', perDollar: 1 },
  { id: 'EU-UK', currency: 'gbp', perDollar: 0.8 },
  { id: 'EU-IE', currency: 'eur', perDollar: 0.93 },
] as const;
export const SOURCES = words('google_shopping, ebay, the_realreal, fashionphile, vestiaire_collective');
export const VENDORS = words(
  'Second Chapter, La Consigne, Vitrine & Co., The Archive Room, Dépôt Doré, Old Bond Consignment',
);

const both = ['handbags', 'watches'];
/** Groups of tags: id, name and categories, in order. */
const TAG_GROUPS: Readonly<Record<string, readonly (readonly [string, string, readonly string[]])[]>> = {
  material: [
    ['exotic', 'Exotic', both],
    ['precious-metal', 'Precious Metal', ['watches']],
    ['textile', 'Textile', ['handbags']],
  ],
  edition: [
    ['limited', 'Limited Edition', both],
    ['runway', 'Runway', ['handbags']],
    ['boutique', 'Boutique Only', both],
  ],
  occasion: [
    ['evening', 'Evening', ['handbags']],
    ['travel', 'Travel', ['handbags']],
    ['everyday', 'Everyday', ['handbags']],
  ],
  function: [
    ['diver', 'Diver', ['watches']],
    ['chronograph', 'Chronograph', ['watches']],
    ['dress', 'Dress', ['watches']],
  ],
  finish: [['gem-set', 'Gem-Set', ['watches']]],
};
export const TAGS = Object.entries(TAG_GROUPS).flatMap(([group, tags]) =>
  tags.map(([id, name, categories], at) => ({ id: `${group}:${id}`, name, order: at + 1, categories })),
);
