import { type Nicknames, productsIn } from './bundle';

/** Handbags as a resale market lists them; popularity is made up. */
export const HANDBAGS = productsIn(
  'handbags',
  `
brand | model | style | colours | sizes | popularity | keywords
Chanel | Classic Flap | Caviar | Black | Mini, Small, Medium, Jumbo, Maxi | 980 | double flap, gold hardware
Chanel | Classic Flap | Caviar | Beige | Mini, Small, Medium, Jumbo, Maxi | 700 | double flap
Chanel | Classic Flap | Lambskin | Black | Mini, Small, Medium, Jumbo, Maxi | 900 | double flap
Chanel | Classic Flap | Lambskin | Pink | Mini, Small | 320
Chanel | 2.55 Reissue | Aged Calfskin | Black | 224, 225, 226, 227 | 500 | mademoiselle lock
Chanel | Boy | Caviar | Black | Small, Old Medium, New Medium | 610 | ruthenium hardware
Chanel | Chanel 19 | Lambskin | Black | Small, Large, Maxi | 450
Chanel | Chanel 22 | Shiny Calfskin | White | Mini, Small, Medium | 430
Chanel | Wallet on Chain | Caviar | Black | One Size | 640
Chanel | Gabrielle | Aged Calfskin | Black | Small, Medium | 260
Chanel | Coco Handle | Caviar | Burgundy | Mini, Small, Medium | 240
Chanel | Deauville | Canvas | Grey | Medium, Large | 230 | tote
Hermès | Birkin | Togo | Black | 25, 30, 35, 40 | 990 | gold hardware
Hermès | Birkin | Togo | Gold | 25, 30, 35 | 880 | palladium hardware
Hermès | Birkin | Togo | Étoupe | 25, 30, 35 | 760
Hermès | Birkin | Epsom | Rouge Casaque | 25, 30 | 520
Hermès | Birkin | Niloticus Crocodile | Himalaya | 25, 30, 35 | 410
Hermès | Kelly | Togo | Black | 25, 28, 32, 35 | 930 | retourne
Hermès | Kelly | Epsom | Gold | 25, 28, 32 | 840 | sellier
Hermès | Kelly Pochette | Swift | Nata | One Size | 310 | clutch
Hermès | Constance | Epsom | Black | 18, 24 | 620
Hermès | Evelyne | Clemence | Étoupe | TPM, PM, GM | 480
Hermès | Picotin Lock | Clemence | Gold | 18, 22 | 520
Hermès | Lindy | Clemence | Bleu Nuit | 26, 30 | 420
Hermès | Garden Party | Negonda | Black | 30, 36 | 380 | tote
Hermès | Herbag | Toile | Ebene | 31, 39 | 240
Louis Vuitton | Speedy | Monogram | Brown | 25, 30, 35, 40 | 910
Louis Vuitton | Speedy | Damier Ebène | Brown | 25, 30, 35 | 600
Louis Vuitton | Speedy | Damier Azur | White | 25, 30, 35 | 500
Louis Vuitton | Speedy | Épi | Black | 25, 30 | 280
Louis Vuitton | Neverfull | Monogram | Brown | PM, MM, GM | 950 | tote
Louis Vuitton | Neverfull | Damier Ebène | Brown | PM, MM, GM | 780 | tote
Louis Vuitton | Neverfull | Damier Azur | White | PM, MM, GM | 690 | tote
Louis Vuitton | Alma | Monogram | Brown | BB, PM, MM | 560
Louis Vuitton | Alma | Épi | Red | BB, PM | 330
Louis Vuitton | Pochette Métis | Monogram | Brown | One Size | 740 | crossbody
Louis Vuitton | Pochette Accessoires | Monogram | Brown | One Size | 590
Louis Vuitton | Keepall | Monogram | Brown | 45, 50, 55, 60 | 530 | travel, bandoulière
Louis Vuitton | Capucines | Taurillon | Black | Mini, BB, MM | 470
Louis Vuitton | OnTheGo | Monogram | Brown | PM, MM, GM | 510 | tote
Louis Vuitton | Noé | Monogram | Brown | BB, PM | 250 | bucket
Dior | Lady Dior | Cannage Lambskin | Black | Micro, Mini, Small, Medium, Large | 820
Dior | Lady Dior | Cannage Lambskin | Blush | Mini, Small | 420
Dior | Saddle | Oblique Jacquard | Blue | Mini, Medium | 660
Dior | Book Tote | Oblique Jacquard | Blue | Mini, Small, Medium, Large | 680
Dior | 30 Montaigne | Box Calfskin | Black | One Size | 300
Gucci | Jackie 1961 | Leather | Black | Mini, Small, Medium | 440 | hobo
Gucci | GG Marmont | Matelassé | Black | Super Mini, Mini, Small, Medium | 570 | camera bag
Gucci | Dionysus | GG Supreme | Beige | Super Mini, Small, Medium | 460
Gucci | Horsebit 1955 | GG Supreme | Beige | Mini, Small | 350
Gucci | Bamboo 1947 | Leather | White | Mini, Small | 210 | top handle
Prada | Galleria | Saffiano | Black | Mini, Small, Medium, Large | 490
Prada | Re-Edition 2005 | Re-Nylon | Black | One Size | 540
Prada | Cleo | Brushed Leather | White | Small, Large | 330
Saint Laurent | Loulou | Matelassé | Black | Toy, Small, Medium | 500
Saint Laurent | Sac de Jour | Grained Leather | Black | Nano, Baby, Small | 420
Saint Laurent | Le 5 à 7 | Smooth Leather | Black | Mini, Small | 400 | hobo
Saint Laurent | Kate | Grain de Poudre | Red | Small, Medium | 290 | tassel
Fendi | Baguette | FF Jacquard | Brown | Mini, Medium | 510
Fendi | Peekaboo | Selleria | Grey | XS, Mini, Medium | 370
Bottega Veneta | Cassette | Intreccio | Parakeet | Mini, Medium | 430 | padded
Bottega Veneta | Jodie | Intreccio | Caramel | Mini, Teen, Large | 410 | hobo
Bottega Veneta | The Pouch | Butter Calf | Black | Mini, Large | 350 | clutch
Céline | Luggage | Drummed Calfskin | Black | Nano, Micro, Mini | 340
Céline | Triomphe | Shiny Calfskin | Tan | Teen, Medium | 450
Céline | Belt Bag | Grained Calfskin | Grey | Nano, Micro, Mini | 320
Goyard | Saint Louis | Goyardine | Black | Junior, PM, GM | 550 | tote
Goyard | Anjou | Goyardine | Green | Mini, PM | 280 | reversible tote
Goyard | Saïgon | Goyardine | Black | Mini, PM | 270
Balenciaga | City | Agneau | Black | Mini, Small, Medium | 390 | motorcycle
Balenciaga | Hourglass | Shiny Calfskin | Black | XS, Small | 310
Loewe | Puzzle | Classic Calfskin | Tan | Nano, Mini, Small, Large | 460
Loewe | Flamenco | Nappa | Black | Mini, Large | 300 | clutch
Givenchy | Antigona | Goatskin | Black | Nano, Small, Medium | 330
Chloé | Marcie | Grained Calfskin | Tan | Mini, Small, Medium | 300 | saddle bag
Chloé | Woody | Linen Canvas | White | Small, Medium, Large | 290 | tote
Mulberry | Bayswater | Natural Grain | Oak | Small, One Size | 250
Dolce & Gabbana | Sicily | Dauphine | Black | Small, Medium | 220
Tod's | T Timeless | Smooth Leather | Tan | Mini, Medium | 150
Delvaux | L'Air de Rien | Box Calf | Ivory | Mini, MM | 110
`,
);

/** What people also type for a name; in other scripts as well. */
export const HANDBAG_NICKNAMES: Nicknames = {
  Chanel: ['CC', 'シャネル', 'Шанель', '香奈儿'],
  Hermès: ['エルメス', 'Эрмес', '爱马仕', 'H'],
  'Louis Vuitton': ['LV', 'ルイ・ヴィトン', 'Луи Виттон', '路易威登'],
  Dior: ['Christian Dior', 'ディオール'],
  'Saint Laurent': ['YSL', 'Yves Saint Laurent'],
  'Bottega Veneta': ['BV'],
  'Dolce & Gabbana': ['D&G'],
  'Classic Flap': ['timeless', '11.12'],
  'Wallet on Chain': ['WOC'],
  Caviar: ['grained calfskin'],
  Herbag: ['Her Bag'],
  OnTheGo: ['On The Go'],
  Himalaya: ['white', 'matte'],
  Monogram: ['canvas', 'toile'],
  Intreccio: ['intrecciato', 'woven'],
  Black: ['noir', 'nero', '黒'],
};
