<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="fr" sourcelanguage="en">
<context>
    <name>Marks</name>
    <message>
        <source>comes</source>
        <translation>arrive</translation>
    </message>
    <message>
        <source>added</source>
        <translation>ajouté</translation>
    </message>
    <message>
        <source>changes</source>
        <translation>change</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>modifié</translation>
    </message>
    <message>
        <source>goes</source>
        <translation>disparaît</translation>
    </message>
    <message>
        <source>removed</source>
        <translation>supprimé</translation>
    </message>
    <message>
        <source>to decide</source>
        <translation>à choisir</translation>
    </message>
</context>
<context>
    <name>Statistics</name>
    <message>
        <source>Grid</source>
        <translation>Grille</translation>
    </message>
    <message>
        <source>Rebin</source>
        <translation>Tri par blocs</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>Autre</translation>
    </message>
    <message>
        <source>Transfer</source>
        <translation>Transfert</translation>
    </message>
</context>
<context>
    <name>TranslatableText</name>
    <message>
        <source>must be between {low} and {high}</source>
        <translation>il faut une valeur de {low} à {high}</translation>
    </message>
    <message>
        <source>must be at least {low}</source>
        <translation>il faut au moins {low}</translation>
    </message>
    <message>
        <source>must be at most {high}</source>
        <translation>il faut au plus {high}</translation>
    </message>
    <message>
        <source>parameter &apos;{name}&apos;</source>
        <translation>paramètre « {name} »</translation>
    </message>
    <message>
        <source>parameter &apos;{name}&apos; is {value}</source>
        <translation>le paramètre « {name} » vaut {value}</translation>
    </message>
    <message>
        <source>key {key} is {value}</source>
        <translation>la clé {key} vaut {value}</translation>
    </message>
    <message>
        <source>parameter &apos;{name}&apos; is not a finite number</source>
        <translation>le paramètre « {name} » n’est pas un nombre fini</translation>
    </message>
    <message>
        <source>key {key} is not a finite number</source>
        <translation>la clé {key} n’est pas un nombre fini</translation>
    </message>
    <message>
        <source>must be a whole number</source>
        <translation>il faut un nombre entier</translation>
    </message>
    <message>
        <source>must be a number</source>
        <translation>il faut un nombre</translation>
    </message>
    <message>
        <source>must be true or false</source>
        <translation>il faut true ou false</translation>
    </message>
    <message>
        <source>must be three numbers</source>
        <translation>il faut trois nombres</translation>
    </message>
    <message>
        <source>must be three numbers (linear red, green, blue)</source>
        <translation>il faut trois nombres (rouge, vert, bleu linéaires)</translation>
    </message>
    <message>
        <source>must be a text</source>
        <translation>il faut un texte</translation>
    </message>
    <message>
        <source>parameter &apos;{name}&apos; has no keys</source>
        <translation>le paramètre « {name} » n’a pas de clés</translation>
    </message>
    <message>
        <source>&quot;keys&quot; must be an array of [frame, value, &quot;linear&quot;]</source>
        <translation>« keys » doit être un tableau de [image, valeur, &quot;linear&quot;]</translation>
    </message>
    <message>
        <source>key {key} is malformed</source>
        <translation>la clé {key} est mal formée</translation>
    </message>
    <message>
        <source>must be [frame, value, &quot;step&quot;, &quot;linear&quot; or &quot;bezier&quot;]</source>
        <translation>il faut [image, valeur, &quot;step&quot;, &quot;linear&quot; ou &quot;bezier&quot;]</translation>
    </message>
    <message>
        <source>key {key} is at frame {frame}, not after the one before it</source>
        <translation>la clé {key} est à l’image {frame}, qui ne suit pas celle de la clé précédente</translation>
    </message>
    <message>
        <source>keys must be in order of frames</source>
        <translation>les clés doivent suivre l’ordre des images</translation>
    </message>
    <message>
        <source>key {key} has the interpolation {kind}</source>
        <translation>l’interpolation de la clé {key} est {kind}</translation>
    </message>
    <message>
        <source>key {key} has the interpolation &apos;{name}&apos;</source>
        <translation>l’interpolation de la clé {key} est « {name} »</translation>
    </message>
    <message>
        <source>must be step, linear or bezier</source>
        <translation>il faut step, linear ou bezier</translation>
    </message>
    <message>
        <source>key {key} blends</source>
        <translation>la clé {key} est interpolée</translation>
    </message>
    <message>
        <source>values of type {type} can only &quot;step&quot;</source>
        <translation>les valeurs de type {type} ne connaissent que &quot;step&quot;</translation>
    </message>
    <message>
        <source>key {key} has handles</source>
        <translation>la clé {key} a des poignées</translation>
    </message>
    <message>
        <source>only bezier keys have them</source>
        <translation>seules les clés bezier en ont</translation>
    </message>
    <message>
        <source>key {key} has the value {kind}</source>
        <translation>la valeur de la clé {key} est {kind}</translation>
    </message>
    <message>
        <source>key {key} has a malformed handle</source>
        <translation>une poignée de la clé {key} est mal formée</translation>
    </message>
    <message>
        <source>handles must be [frames, value]</source>
        <translation>les poignées s’écrivent [images, valeur]</translation>
    </message>
    <message>
        <source>key {key} has a handle on the wrong side</source>
        <translation>une poignée de la clé {key} est du mauvais côté</translation>
    </message>
    <message>
        <source>the first handle must point back and the second forward in time</source>
        <translation>la première poignée va vers le passé, la seconde vers l’avenir</translation>
    </message>
    <message>
        <source>parameter &apos;{name}&apos; is an unknown object</source>
        <translation>le paramètre « {name} » est un objet inconnu</translation>
    </message>
    <message>
        <source>{constant}, {&quot;keys&quot;: [...]} or {&quot;expr&quot;: &quot;...&quot;}</source>
        <translation>{constant}, {&quot;keys&quot;: [...]} ou {&quot;expr&quot;: &quot;...&quot;}</translation>
    </message>
    <message>
        <source>parameter &apos;{name}&apos; cannot change over time</source>
        <translation>le paramètre « {name} » ne peut pas changer au cours du temps</translation>
    </message>
    <message>
        <source>must be a constant</source>
        <translation>il faut une constante</translation>
    </message>
    <message>
        <source>parameter &apos;{name}&apos; cannot be one expression</source>
        <translation>le paramètre « {name} » ne peut pas être une seule expression</translation>
    </message>
    <message>
        <source>parameter &apos;{name}&apos; has an expression that is not a text</source>
        <translation>l’expression du paramètre « {name} » n’est pas un texte</translation>
    </message>
    <message>
        <source>give each component its own: [{&quot;expr&quot;: &quot;...&quot;}, 0, 0]</source>
        <translation>donnez la sienne à chaque composante : [{&quot;expr&quot;: &quot;...&quot;}, 0, 0]</translation>
    </message>
    <message>
        <source>parameter &apos;{name}&apos; is {kind}</source>
        <translation>le paramètre « {name} » est {kind}</translation>
    </message>
    <message>
        <source>parameter &apos;{name}&apos; holds a zero character</source>
        <translation>le paramètre « {name} » contient un caractère nul</translation>
    </message>
    <message>
        <source>parameter &apos;{name}&apos; is &apos;{value}&apos;</source>
        <translation>le paramètre « {name} » est « {value} »</translation>
    </message>
    <message>
        <source>must be {values}</source>
        <translation>il faut {values}</translation>
    </message>
    <message>
        <source>expression &apos;{text}&apos; gives no number (0/0, or a function outside its domain)</source>
        <translation>l’expression « {text} » ne donne pas un nombre (0/0, ou une fonction hors de son domaine)</translation>
    </message>
    <message>
        <source>expression &apos;{text}&apos; gives infinity (a division by zero, or an overflow)</source>
        <translation>l’expression « {text} » donne l’infini (une division par zéro, ou un dépassement)</translation>
    </message>
    <message>
        <source>it must give a finite number</source>
        <translation>elle doit donner un nombre fini</translation>
    </message>
    <message>
        <source>the value is {value}</source>
        <translation>la valeur est {value}</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; names the unknown parameter &apos;{parameter}&apos;</source>
        <translation>« {key} » nomme un paramètre inconnu, « {parameter} »</translation>
    </message>
    <message>
        <source>known are {names}</source>
        <translation>sont connus : {names}</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; names &apos;{parameter}&apos;, which is of type {type}</source>
        <translation>« {key} » nomme « {parameter} », qui est de type {type}</translation>
    </message>
    <message>
        <source>must name a choice or a bool</source>
        <translation>il faut nommer un choix ou un booléen</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; asks whether &apos;{parameter}&apos; is &apos;{value}&apos;, which it never is</source>
        <translation>« {key} » demande si « {parameter} » est « {value} », ce qu’il n’est jamais</translation>
    </message>
    <message>
        <source>&apos;shownWhen&apos; leads through more than {limit} parameters</source>
        <translation>« shownWhen » passe par plus de {limit} paramètres</translation>
    </message>
    <message>
        <source>name what decides directly</source>
        <translation>nommez directement ce qui décide</translation>
    </message>
    <message>
        <source>&apos;shownWhen&apos; leads back to itself: {path}</source>
        <translation>« shownWhen » revient à son point de départ : {path}</translation>
    </message>
    <message>
        <source>take one of the conditions out</source>
        <translation>retirez l’une des conditions</translation>
    </message>
    <message>
        <source>must be like {&quot;law&quot;: [&quot;snow&quot;, &quot;sand&quot;]} or {&quot;bounded&quot;: true}</source>
        <translation>écrivez par exemple {&quot;law&quot;: [&quot;snow&quot;, &quot;sand&quot;]} ou {&quot;bounded&quot;: true}</translation>
    </message>
    <message>
        <source>the link from &apos;{output}&apos; to &apos;{input}&apos; starts at an input</source>
        <translation>le lien de « {output} » à « {input} » part d’une entrée</translation>
    </message>
    <message>
        <source>links go from an output to an input: swap its ends</source>
        <translation>un lien va d’une sortie à une entrée : échangez ses extrémités</translation>
    </message>
    <message>
        <source>the link from &apos;{output}&apos; to &apos;{input}&apos; is there twice</source>
        <translation>le lien de « {output} » à « {input} » est là deux fois</translation>
    </message>
    <message>
        <source>keep one</source>
        <translation>n’en gardez qu’un</translation>
    </message>
    <message>
        <source>input &apos;{input}&apos; takes one link but has one from &apos;{first}&apos; and one from &apos;{second}&apos;</source>
        <translation>l’entrée « {input} » n’accepte qu’un lien mais en a un de « {first} » et un de « {second} »</translation>
    </message>
    <message>
        <source>remove one of them</source>
        <translation>retirez l’un des deux</translation>
    </message>
    <message>
        <source>input &apos;{input}&apos; takes {kinds}, but &apos;{output}&apos; gives {given}</source>
        <translation>l’entrée « {input} » accepte {kinds}, mais « {output} » donne {given}</translation>
    </message>
    <message>
        <source>link an output that fits</source>
        <translation>reliez une sortie qui convient</translation>
    </message>
    <message>
        <source>the link from &apos;{output}&apos; to &apos;{input}&apos; names the unknown node &apos;{node}&apos;</source>
        <translation>le lien de « {output} » à « {input} » nomme un nœud inconnu, « {node} »</translation>
    </message>
    <message>
        <source>the link from &apos;{output}&apos; to &apos;{input}&apos;: the node has no output &apos;{socket}&apos;</source>
        <translation>le lien de « {output} » à « {input} » : le nœud n’a pas de sortie « {socket} »</translation>
    </message>
    <message>
        <source>the link from &apos;{output}&apos; to &apos;{input}&apos;: the node has no input &apos;{socket}&apos;</source>
        <translation>le lien de « {output} » à « {input} » : le nœud n’a pas d’entrée « {socket} »</translation>
    </message>
    <message>
        <source>links go from an output to an input</source>
        <translation>un lien va d’une sortie à une entrée</translation>
    </message>
    <message>
        <source>it has {names}</source>
        <translation>il a {names}</translation>
    </message>
    <message>
        <source>it has no outputs</source>
        <translation>il n’a pas de sortie</translation>
    </message>
    <message>
        <source>it has no inputs</source>
        <translation>il n’a pas d’entrée</translation>
    </message>
    <message>
        <source>the reference &apos;{reference}&apos; has the component &apos;{component}&apos;</source>
        <translation>la référence « {reference} » a la composante « {component} »</translation>
    </message>
    <message>
        <source>must be x, y or z (or r, g, b)</source>
        <translation>il faut x, y ou z (ou r, g, b)</translation>
    </message>
    <message>
        <source>the reference &apos;{reference}&apos; names the unknown node &apos;{node}&apos;</source>
        <translation>la référence « {reference} » nomme un nœud inconnu, « {node} »</translation>
    </message>
    <message>
        <source>the reference &apos;{reference}&apos; names the unknown parameter &apos;{parameter}&apos;</source>
        <translation>la référence « {reference} » nomme un paramètre inconnu, « {parameter} »</translation>
    </message>
    <message>
        <source>the reference &apos;{reference}&apos; is {type}</source>
        <translation>la référence « {reference} » est de type {type}</translation>
    </message>
    <message>
        <source>the reference &apos;{reference}&apos; is three numbers</source>
        <translation>la référence « {reference} » désigne trois nombres</translation>
    </message>
    <message>
        <source>add .x, .y or .z</source>
        <translation>ajoutez .x, .y ou .z</translation>
    </message>
    <message>
        <source>the reference &apos;{reference}&apos; is one number</source>
        <translation>la référence « {reference} » désigne un seul nombre</translation>
    </message>
    <message>
        <source>remove the component</source>
        <translation>retirez la composante</translation>
    </message>
    <message>
        <source>plugin &apos;{plugin}&apos; has {kind}</source>
        <translation>pour le greffon « {plugin} » il y a {kind}</translation>
    </message>
    <message>
        <source>must be a minimum version such as &quot;1.0.0&quot;</source>
        <translation>il faut une version minimale comme &quot;1.0.0&quot;</translation>
    </message>
    <message>
        <source>must be letters, digits and _, not starting with a digit</source>
        <translation>il faut des lettres, des chiffres et _, sans chiffre au début</translation>
    </message>
    <message>
        <source>range: &apos;end&apos; is {frame}</source>
        <translation>range : « end » vaut {frame}</translation>
    </message>
    <message>
        <source>must not be before &apos;start&apos;, {frame}</source>
        <translation>la fin ne peut pas précéder « start », {frame}</translation>
    </message>
    <message>
        <source>range: &apos;fps&apos; is {value}</source>
        <translation>range : « fps » vaut {value}</translation>
    </message>
    <message>
        <source>must be from 0.001 to 1000000</source>
        <translation>il faut de 0.001 à 1000000</translation>
    </message>
    <message>
        <source>subgraph name &apos;{name}&apos; is not allowed</source>
        <translation>un sous-graphe ne peut pas se nommer « {name} »</translation>
    </message>
    <message>
        <source>subgraph &apos;{name}&apos;</source>
        <translation>sous-graphe « {name} »</translation>
    </message>
    <message>
        <source>node name &apos;{name}&apos; is not allowed</source>
        <translation>un nœud ne peut pas se nommer « {name} »</translation>
    </message>
    <message>
        <source>link {number}</source>
        <translation>lien {number}</translation>
    </message>
    <message>
        <source>backdrop &apos;{name}&apos;</source>
        <translation>cadre « {name} »</translation>
    </message>
    <message>
        <source>note &apos;{name}&apos;</source>
        <translation>note « {name} »</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; is malformed</source>
        <translation>« {key} » est mal formé</translation>
    </message>
    <message>
        <source>must be {count} numbers</source>
        <translation>il faut {count} nombres</translation>
    </message>
    <message>
        <source>must be node.socket</source>
        <translation>il faut nœud.prise</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; is &apos;{value}&apos;</source>
        <translation>« {key} » est « {value} »</translation>
    </message>
    <message>
        <source>promote.{key} has {count} entries</source>
        <translation>promote.{key} a {count} entrées</translation>
    </message>
    <message>
        <source>must have at most {limit}</source>
        <translation>il en faut au plus {limit}</translation>
    </message>
    <message>
        <source>parameter name &apos;{name}&apos; is not allowed</source>
        <translation>un paramètre ne peut pas se nommer « {name} »</translation>
    </message>
    <message>
        <source>must be node.parameter</source>
        <translation>il faut nœud.paramètre</translation>
    </message>
    <message>
        <source>socket name &apos;{name}&apos; is not allowed</source>
        <translation>une prise ne peut pas se nommer « {name} »</translation>
    </message>
    <message>
        <source>is not a Floe graph</source>
        <translation>n’est pas un graphe de Floe</translation>
    </message>
    <message>
        <source>the key &apos;floe&apos; (format version) is missing</source>
        <translation>la clé « floe » (version du format) manque</translation>
    </message>
    <message>
        <source>&apos;floe&apos; is {value}</source>
        <translation>« floe » vaut {value}</translation>
    </message>
    <message>
        <source>must be the format version, 1</source>
        <translation>il faut la version du format, 1</translation>
    </message>
    <message>
        <source>was written by a newer version of Floe (format {format}, this one reads up to {newest})</source>
        <translation>a été écrit par une version plus récente de Floe (format {format} ; celle-ci lit jusqu’à {newest})</translation>
    </message>
    <message>
        <source>update Floe</source>
        <translation>mettez Floe à jour</translation>
    </message>
    <message>
        <source>cannot be written again without losing what is faulty</source>
        <translation>ne peut pas être réécrit sans perdre ce qui est erroné</translation>
    </message>
    <message>
        <source>mend its faults first</source>
        <translation>corrigez d’abord ses erreurs</translation>
    </message>
    <message>
        <source>parameter &apos;{name}&apos; needs itself: {path}</source>
        <translation>le paramètre « {name} » dépend de lui-même : {path}</translation>
    </message>
    <message>
        <source>make one of them a constant</source>
        <translation>faites de l’un d’eux une constante</translation>
    </message>
    <message>
        <source>parameter &apos;{name}&apos; refers through more than {limit} expressions</source>
        <translation>le paramètre « {name} » passe par plus de {limit} expressions</translation>
    </message>
    <message>
        <source>refer more directly</source>
        <translation>employez une référence plus directe</translation>
    </message>
    <message>
        <source>the links form a loop: {path}</source>
        <translation>les liens forment une boucle : {path}</translation>
    </message>
    <message>
        <source>remove one of its links</source>
        <translation>retirez l’un de ses liens</translation>
    </message>
    <message>
        <source>input &apos;{input}&apos; is not linked</source>
        <translation>l’entrée « {input} » n’est pas reliée</translation>
    </message>
    <message>
        <source>link an output of kind {kinds} that is not bypassed</source>
        <translation>reliez une sortie de genre {kinds} qui n’est pas contournée</translation>
    </message>
    <message>
        <source>input &apos;{input}&apos; takes one link but gets {count} through subgraphs or bypassed nodes</source>
        <translation>l’entrée « {input} » n’accepte qu’un lien mais en reçoit {count} par des sous-graphes ou des nœuds contournés</translation>
    </message>
    <message>
        <source>keep one of them</source>
        <translation>n’en gardez qu’un</translation>
    </message>
    <message>
        <source>expression &apos;{text}&apos; is longer than {limit} characters</source>
        <translation>l’expression « {text} » a plus de {limit} caractères</translation>
    </message>
    <message>
        <source>expression &apos;{text}&apos; has the unexpected character &apos;{character}&apos;</source>
        <translation>l’expression « {text} » contient un caractère inattendu, « {character} »</translation>
    </message>
    <message>
        <source>expression &apos;{text}&apos; assigns a value with &apos;=&apos;</source>
        <translation>l’expression « {text} » affecte une valeur avec « = »</translation>
    </message>
    <message>
        <source>compare with &apos;==&apos;</source>
        <translation>comparez avec « == »</translation>
    </message>
    <message>
        <source>expression &apos;{text}&apos; is nested deeper than {limit} parentheses</source>
        <translation>l’expression « {text} » imbrique plus de {limit} parenthèses</translation>
    </message>
    <message>
        <source>expression &apos;{text}&apos; uses the unknown function &apos;{name}&apos;</source>
        <translation>l’expression « {text} » emploie une fonction inconnue, « {name} »</translation>
    </message>
    <message>
        <source>expression &apos;{text}&apos; has the reference &apos;{reference}&apos;</source>
        <translation>l’expression « {text} » a la référence « {reference} »</translation>
    </message>
    <message>
        <source>references are node.parameter or node.parameter.x</source>
        <translation>une référence s’écrit nœud.paramètre ou nœud.paramètre.x</translation>
    </message>
    <message>
        <source>expression &apos;{text}&apos; uses the function &apos;{name}&apos; without arguments</source>
        <translation>l’expression « {text} » emploie la fonction « {name} » sans arguments</translation>
    </message>
    <message>
        <source>expression &apos;{text}&apos; uses the unknown name &apos;{name}&apos;</source>
        <translation>l’expression « {text} » emploie un nom inconnu, « {name} »</translation>
    </message>
    <message>
        <source>known are frame, time, fps, pi and references like node.parameter</source>
        <translation>sont connus frame, time, fps, pi et des références comme nœud.paramètre</translation>
    </message>
    <message>
        <source>expression &apos;{text}&apos; gives {count} values</source>
        <translation>l’expression « {text} » donne {count} valeurs</translation>
    </message>
    <message>
        <source>it must give one</source>
        <translation>elle doit en donner une</translation>
    </message>
    <message>
        <source>expression &apos;{text}&apos; cannot be read: {reason}</source>
        <translation>l’expression « {text} » est illisible : {reason}</translation>
    </message>
    <message>
        <source>expression &apos;{text}&apos; fails: {reason}</source>
        <translation>l’expression « {text} » échoue : {reason}</translation>
    </message>
    <message>
        <source>{cause}, {cure}</source>
        <translation>{cause} ; {cure}</translation>
    </message>
    <message>
        <source>node &apos;{node}&apos;</source>
        <translation>nœud « {node} »</translation>
    </message>
    <message>
        <source>node &apos;{node}&apos; ({type})</source>
        <translation>nœud « {node} » ({type})</translation>
    </message>
    <message>
        <source>error</source>
        <translation>erreur</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>avertissement</translation>
    </message>
    <message>
        <source>&apos;type&apos; is &apos;{value}&apos;</source>
        <translation>« type » est « {value} »</translation>
    </message>
    <message>
        <source>must be dotted words, such as vendor.group.name</source>
        <translation>il faut des mots séparés par des points, comme fabricant.groupe.nom</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is declared twice</source>
        <translation>« {name} » est déclaré deux fois</translation>
    </message>
    <message>
        <source>&apos;name&apos; is &apos;{value}&apos;</source>
        <translation>« name » est « {value} »</translation>
    </message>
    <message>
        <source>&apos;cpu&apos; is false and cuda is none</source>
        <translation>« cpu » est false et « cuda » est none</translation>
    </message>
    <message>
        <source>the node must run on something</source>
        <translation>il faut que le nœud puisse tourner quelque part</translation>
    </message>
    <message>
        <source>&apos;min&apos; is above max</source>
        <translation>« min » dépasse « max »</translation>
    </message>
    <message>
        <source>&apos;extensions&apos; holds {value}</source>
        <translation>« extensions » contient {value}</translation>
    </message>
    <message>
        <source>write lower-case letters and digits, without a dot</source>
        <translation>écrivez des lettres minuscules et des chiffres, sans point</translation>
    </message>
    <message>
        <source>&apos;extensions&apos; is there but the type is {type}</source>
        <translation>« extensions » est présent mais le type est {type}</translation>
    </message>
    <message>
        <source>only the type path has extensions</source>
        <translation>seul le type path a des extensions</translation>
    </message>
    <message>
        <source>&apos;choices&apos; is missing or empty</source>
        <translation>« choices » manque ou est vide</translation>
    </message>
    <message>
        <source>list what can be chosen</source>
        <translation>énumérez ce qui peut être choisi</translation>
    </message>
    <message>
        <source>&apos;choices&apos; is there but the type is {type}</source>
        <translation>« choices » est présent alors que le type est {type}</translation>
    </message>
    <message>
        <source>only the type choice has choices</source>
        <translation>seul le type choice a des choix</translation>
    </message>
    <message>
        <source>&apos;kind&apos; is empty</source>
        <translation>« kind » est vide</translation>
    </message>
    <message>
        <source>name at least one kind</source>
        <translation>nommez au moins un genre</translation>
    </message>
    <message>
        <source>&apos;kind&apos; is &apos;{value}&apos;</source>
        <translation>« kind » est « {value} »</translation>
    </message>
    <message>
        <source>must be a known kind, or a dotted name of your own</source>
        <translation>il faut un genre connu, ou un nom à vous avec des points</translation>
    </message>
    <message>
        <source>&apos;values&apos; names the unknown parameter &apos;{parameter}&apos;</source>
        <translation>« values » nomme un paramètre inconnu, « {parameter} »</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; maps &apos;{name}&apos; to {kind}</source>
        <translation>« {key} » remplace « {name} » par {kind}</translation>
    </message>
    <message>
        <source>must be the new name</source>
        <translation>il faut le nouveau nom</translation>
    </message>
    <message>
        <source>&apos;from&apos; is {version}</source>
        <translation>« from » vaut {version}</translation>
    </message>
    <message>
        <source>must be older than the node&apos;s version {version}</source>
        <translation>il faut une version antérieure à celle du nœud, {version}</translation>
    </message>
    <message>
        <source>&apos;format&apos; is {value}</source>
        <translation>« format » vaut {value}</translation>
    </message>
    <message>
        <source>this version of Floe reads format 1</source>
        <translation>cette version de Floe lit le format 1</translation>
    </message>
    <message>
        <source>&apos;id&apos; is &apos;{value}&apos;</source>
        <translation>« id » est « {value} »</translation>
    </message>
    <message>
        <source>must be dotted words, such as vendor.name</source>
        <translation>il faut des mots séparés par des points, comme fabricant.nom</translation>
    </message>
    <message>
        <source>&apos;version&apos; is &apos;{value}&apos;</source>
        <translation>« version » est « {value} »</translation>
    </message>
    <message>
        <source>must be like 1.2.0</source>
        <translation>écrivez par exemple 1.2.0</translation>
    </message>
    <message>
        <source>the type is declared twice</source>
        <translation>le type est déclaré deux fois</translation>
    </message>
    <message>
        <source>the plugin has no library and the node no graph</source>
        <translation>le greffon n’a pas de bibliothèque et le nœud pas de graphe</translation>
    </message>
    <message>
        <source>give one of the two</source>
        <translation>donnez l’un ou l’autre</translation>
    </message>
    <message>
        <source>the plugin &apos;{plugin}&apos; was found already in {path}</source>
        <translation>le greffon « {plugin} » a déjà été trouvé dans {path}</translation>
    </message>
    <message>
        <source>node type &apos;{type}&apos; belongs already to the plugin &apos;{plugin}&apos;</source>
        <translation>le type de nœud « {type} » appartient déjà au greffon « {plugin} »</translation>
    </message>
    <message>
        <source>give it a name of its own</source>
        <translation>donnez-lui un nom à lui</translation>
    </message>
    <message>
        <source>an object</source>
        <translation>un objet</translation>
    </message>
    <message>
        <source>an array</source>
        <translation>un tableau</translation>
    </message>
    <message>
        <source>a text</source>
        <translation>un texte</translation>
    </message>
    <message>
        <source>a boolean</source>
        <translation>un booléen</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>un nombre</translation>
    </message>
    <message>
        <source>this is {kind}</source>
        <translation>ceci est {kind}</translation>
    </message>
    <message>
        <source>{place} is {kind}</source>
        <translation>{place} est {kind}</translation>
    </message>
    <message>
        <source>must be an object</source>
        <translation>il faut un objet</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; is missing</source>
        <translation>« {key} » manque</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; is {kind}</source>
        <translation>« {key} » est {kind}</translation>
    </message>
    <message>
        <source>must be {kind}</source>
        <translation>il faut {kind}</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; is {value}</source>
        <translation>« {key} » vaut {value}</translation>
    </message>
    <message>
        <source>must be a whole number from {low} to {high}</source>
        <translation>il faut un nombre entier de {low} à {high}</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; holds {kind}</source>
        <translation>« {key} » contient {kind}</translation>
    </message>
    <message>
        <source>must hold texts</source>
        <translation>il faut des textes</translation>
    </message>
    <message>
        <source>unknown key &apos;{key}&apos;</source>
        <translation>clé inconnue « {key} »</translation>
    </message>
    <message>
        <source>nodes are {names}</source>
        <translation>les nœuds sont {names}</translation>
    </message>
    <message>
        <source>it has none</source>
        <translation>il n’en a pas</translation>
    </message>
    <message>
        <source>the graph</source>
        <translation>le graphe</translation>
    </message>
    <message>
        <source>the graph has more than {limit} nodes once its subgraphs are expanded</source>
        <translation>le graphe a plus de {limit} nœuds une fois ses sous-graphes développés</translation>
    </message>
    <message>
        <source>use fewer instances</source>
        <translation>employez moins d’instances</translation>
    </message>
    <message>
        <source>the plugin &apos;{plugin}&apos; is not installed</source>
        <translation>le greffon « {plugin} » n’est pas installé</translation>
    </message>
    <message>
        <source>install it or set FLOE_PLUGIN_PATH to its folder</source>
        <translation>installez-le ou mettez son dossier dans FLOE_PLUGIN_PATH</translation>
    </message>
    <message>
        <source>the plugin &apos;{plugin}&apos; is version {version}</source>
        <translation>le greffon « {plugin} » est en version {version}</translation>
    </message>
    <message>
        <source>two nodes have this name</source>
        <translation>deux nœuds portent ce nom</translation>
    </message>
    <message>
        <source>rename one of them</source>
        <translation>renommez l’un des deux</translation>
    </message>
    <message>
        <source>{graph} holds subgraphs nested deeper than {limit} levels</source>
        <translation>{graph} : les sous-graphes y sont imbriqués sur plus de {limit} niveaux</translation>
    </message>
    <message>
        <source>nest fewer</source>
        <translation>imbriquez-en moins</translation>
    </message>
    <message>
        <source>the subgraph file &apos;{path}&apos; {reason}</source>
        <translation>le fichier de sous-graphe « {path} » {reason}</translation>
    </message>
    <message>
        <source>paths are relative to the graph file</source>
        <translation>les chemins partent du fichier du graphe</translation>
    </message>
    <message>
        <source>unknown node type &apos;{type}&apos;</source>
        <translation>type de nœud inconnu « {type} »</translation>
    </message>
    <message>
        <source>did you mean &apos;{name}&apos;?</source>
        <translation>vouliez-vous dire « {name} » ?</translation>
    </message>
    <message>
        <source>no installed plugin has the node type &apos;{type}&apos;</source>
        <translation>aucun greffon installé n’a le type de nœud « {type} »</translation>
    </message>
    <message>
        <source>the plugin &apos;{plugin}&apos; of the node type &apos;{type}&apos; is not used</source>
        <translation>le greffon « {plugin} » du type de nœud « {type} » n’est pas utilisé</translation>
    </message>
    <message>
        <source>`floe plugin list --rescan` tries it again and says why</source>
        <translation>`floe plugin list --rescan` l’essaie de nouveau et dit pourquoi</translation>
    </message>
    <message>
        <source>there are more faults than these {count}</source>
        <translation>il y a plus de fautes que ces {count}</translation>
    </message>
    <message>
        <source>fix these first</source>
        <translation>corrigez d’abord celles-ci</translation>
    </message>
    <message>
        <source>there are {count} links</source>
        <translation>il y a {count} liens</translation>
    </message>
    <message>
        <source>must be at most {limit}</source>
        <translation>doit être au plus {limit}</translation>
    </message>
    <message>
        <source>&apos;file&apos; holds a zero character</source>
        <translation>« file » contient un caractère nul</translation>
    </message>
    <message>
        <source>give the path of a graph</source>
        <translation>donnez le chemin d’un graphe</translation>
    </message>
    <message>
        <source>its files have the names of those of &apos;{node}&apos;</source>
        <translation>ses fichiers portent les mêmes noms que ceux de « {node} »</translation>
    </message>
    <message>
        <source>give one of the two another &apos;{name}&apos;</source>
        <translation>donnez à l’un des deux un autre « {name} »</translation>
    </message>
    <message>
        <source>must be a name within the output folder, such as particles/snow.%04d.vdb</source>
        <translation>doit être un nom dans le dossier de sortie, tel que particles/snow.%04d.vdb</translation>
    </message>
    <message>
        <source>install its plugin or set FLOE_PLUGIN_PATH to its folder</source>
        <translation>installez son greffon ou mettez son dossier dans FLOE_PLUGIN_PATH</translation>
    </message>
    <message>
        <source>install the plugin &apos;{plugin}&apos;</source>
        <translation>installez le greffon « {plugin} »</translation>
    </message>
    <message>
        <source>the key &apos;{key}&apos; is only for nodes of type {type}</source>
        <translation>la clé « {key} » n’est que pour les nœuds de type {type}</translation>
    </message>
    <message>
        <source>remove it</source>
        <translation>retirez-la</translation>
    </message>
    <message>
        <source>the node is of version {version} but the plugin &apos;{plugin}&apos; knows only {newest}</source>
        <translation>le nœud est de version {version} mais le greffon « {plugin} » ne connaît que la {newest}</translation>
    </message>
    <message>
        <source>update the plugin</source>
        <translation>mettez le greffon à jour</translation>
    </message>
    <message>
        <source>is nested deeper than {limit} subgraphs</source>
        <translation>est imbriqué dans plus de {limit} sous-graphes</translation>
    </message>
    <message>
        <source>the graph of &apos;{type}&apos;</source>
        <translation>le graphe de « {type} »</translation>
    </message>
    <message>
        <source>the node type is made of itself</source>
        <translation>le type de nœud est fait de lui-même</translation>
    </message>
    <message>
        <source>the node says neither which &quot;graph&quot; nor which &quot;file&quot;</source>
        <translation>le nœud ne dit ni quel « graph » ni quel « file »</translation>
    </message>
    <message>
        <source>the node has both a &quot;graph&quot; and a &quot;file&quot;</source>
        <translation>le nœud a à la fois un « graph » et un « file »</translation>
    </message>
    <message>
        <source>give one of them</source>
        <translation>donnez l’un des deux</translation>
    </message>
    <message>
        <source>the document has no subgraph &apos;{name}&apos;</source>
        <translation>le document n’a pas de sous-graphe « {name} »</translation>
    </message>
    <message>
        <source>file &apos;{name}&apos;</source>
        <translation>fichier « {name} »</translation>
    </message>
    <message>
        <source>{outer} -&gt; {inner}</source>
        <translation>{outer} -&gt; {inner}</translation>
    </message>
    <message>
        <source>the subgraph contains itself: {path}</source>
        <translation>le sous-graphe se contient lui-même : {path}</translation>
    </message>
    <message>
        <source>break the loop</source>
        <translation>rompez la boucle</translation>
    </message>
    <message>
        <source>mend the plugin &apos;{plugin}&apos;</source>
        <translation>corrigez le greffon « {plugin} »</translation>
    </message>
    <message>
        <source>the graph of the node type promotes no {type} parameter &apos;{name}&apos;</source>
        <translation>le graphe du type de nœud ne montre pas de paramètre « {name} » de type {type}</translation>
    </message>
    <message>
        <source>the graph of the node type promotes no input &apos;{name}&apos;</source>
        <translation>le graphe du type de nœud ne montre pas d’entrée « {name} »</translation>
    </message>
    <message>
        <source>the graph of the node type promotes no output &apos;{name}&apos;</source>
        <translation>le graphe du type de nœud ne montre pas de sortie « {name} »</translation>
    </message>
    <message>
        <source>unknown parameter &apos;{name}&apos;</source>
        <translation>paramètre inconnu « {name} »</translation>
    </message>
    <message>
        <source>the node has none</source>
        <translation>le nœud n’en a pas</translation>
    </message>
    <message>
        <source>promoted parameter &apos;{name}&apos; names the unknown node &apos;{node}&apos;</source>
        <translation>le paramètre montré « {name} » nomme un nœud inconnu, « {node} »</translation>
    </message>
    <message>
        <source>promoted parameter &apos;{name}&apos;: node &apos;{node}&apos; has no parameter &apos;{target}&apos;</source>
        <translation>paramètre montré « {name} » : le nœud « {node} » n’a pas de paramètre « {target} »</translation>
    </message>
    <message>
        <source>promoted input &apos;{name}&apos; names the unknown node &apos;{node}&apos;</source>
        <translation>l’entrée montrée « {name} » nomme un nœud inconnu, « {node} »</translation>
    </message>
    <message>
        <source>promoted input &apos;{name}&apos;: node &apos;{node}&apos; has no input &apos;{target}&apos;</source>
        <translation>entrée montrée « {name} » : le nœud « {node} » n’a pas d’entrée « {target} »</translation>
    </message>
    <message>
        <source>promoted output &apos;{name}&apos; names the unknown node &apos;{node}&apos;</source>
        <translation>la sortie montrée « {name} » nomme un nœud inconnu, « {node} »</translation>
    </message>
    <message>
        <source>promoted output &apos;{name}&apos;: node &apos;{node}&apos; has no output &apos;{target}&apos;</source>
        <translation>sortie montrée « {name} » : le nœud « {node} » n’a pas de sortie « {target} »</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; is empty</source>
        <translation>« {key} » est vide</translation>
    </message>
    <message>
        <source>translate it or remove the line</source>
        <translation>traduisez-le ou retirez la ligne</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; has {count} bytes</source>
        <translation>« {key} » a {count} octets</translation>
    </message>
    <message>
        <source>at most {limit} are allowed</source>
        <translation>{limit} au plus sont permis</translation>
    </message>
    <message>
        <source>&apos;language&apos; is &apos;{value}&apos;</source>
        <translation>« language » est « {value} »</translation>
    </message>
    <message>
        <source>must be as in the file&apos;s name, such as fr or pt_BR</source>
        <translation>il faut la langue du nom de fichier, comme fr ou pt_BR</translation>
    </message>
    <message>
        <source>it is for the plugin &apos;{plugin}&apos;</source>
        <translation>c’est pour le greffon « {plugin} »</translation>
    </message>
    <message>
        <source>must be &apos;{value}&apos;</source>
        <translation>il faut « {value} »</translation>
    </message>
    <message>
        <source>&apos;{text}&apos; has no translation</source>
        <translation>« {text} » n’a pas de traduction</translation>
    </message>
    <message>
        <source>add a line to &apos;texts&apos;</source>
        <translation>ajoutez une ligne à « texts »</translation>
    </message>
    <message>
        <source>search for &apos;{type}&apos; has no translation</source>
        <translation>la recherche de « {type} » n’a pas de traduction</translation>
    </message>
    <message>
        <source>add &apos;aliases&apos; to it in &apos;nodes&apos;</source>
        <translation>ajoutez-lui « aliases » dans « nodes »</translation>
    </message>
    <message>
        <source>&apos;{type}&apos; has no text &apos;{text}&apos;</source>
        <translation>« {type} » n’a pas de texte « {text} »</translation>
    </message>
    <message>
        <source>remove the line, or write it as in the manifest</source>
        <translation>retirez la ligne, ou écrivez-la comme dans le manifeste</translation>
    </message>
    <message>
        <source>the manifest has no text &apos;{text}&apos;</source>
        <translation>le manifeste n’a pas de texte « {text} »</translation>
    </message>
    <message>
        <source>the manifest has no node type &apos;{type}&apos;</source>
        <translation>le manifeste n’a pas de type de nœud « {type} »</translation>
    </message>
    <message>
        <source>remove it from &apos;nodes&apos;</source>
        <translation>retirez-le de « nodes »</translation>
    </message>
    <message>
        <source>{place}: {fault}</source>
        <translation>{place} : {fault}</translation>
    </message>
    <message>
        <source>{others} or {last}</source>
        <translation>{others} ou {last}</translation>
    </message>
    <message>
        <source>{cause}; {cure}</source>
        <translation>{cause} ; {cure}</translation>
    </message>
    <message>
        <source>frame {frame}</source>
        <translation>image {frame}</translation>
    </message>
    <message>
        <source>the clipboard holds no nodes</source>
        <translation>le presse-papiers ne contient pas de nœuds</translation>
    </message>
    <message>
        <source>copy some nodes first</source>
        <translation>copiez d’abord des nœuds</translation>
    </message>
    <message>
        <source>a subgraph cannot be put into itself</source>
        <translation>un sous-graphe ne peut pas être mis en lui-même</translation>
    </message>
    <message>
        <source>paste it one level up</source>
        <translation>collez-le un niveau plus haut</translation>
    </message>
    <message>
        <source>&apos;times&apos; or &apos;otherwise&apos; is not above 0</source>
        <translation>« times » ou « otherwise » n’est pas supérieur à 0</translation>
    </message>
    <message>
        <source>both take the place of 0</source>
        <translation>tous deux prennent la place de 0</translation>
    </message>
    <message>
        <source>&apos;keeps&apos; is there but the type is {type}</source>
        <translation>« keeps » est présent alors que le type est {type}</translation>
    </message>
    <message>
        <source>only the type bool keeps an attribute</source>
        <translation>seul le type bool garde un attribut</translation>
    </message>
    <message>
        <source>it names no attribute, or two</source>
        <translation>aucun attribut n’est nommé, ou deux le sont</translation>
    </message>
    <message>
        <source>give &apos;attribute&apos;, or the &apos;parameter&apos; that names one</source>
        <translation>donner « attribute », ou le « parameter » qui en nomme un</translation>
    </message>
    <message>
        <source>&apos;automatic&apos; is there but the parameter is no float from 0 on</source>
        <translation>« automatic » est présent, mais le paramètre n’est pas un float à partir de 0</translation>
    </message>
    <message>
        <source>it takes the place of the value 0 of a float</source>
        <translation>il prend la place de la valeur 0 d’un float</translation>
    </message>
    <message>
        <source>input &apos;{input}&apos; needs &apos;{node}&apos; at another frame, and a solver is at one frame only</source>
        <translation>l’entrée &apos;{input}&apos; demande &apos;{node}&apos; à une autre image, et un solveur n’est qu’à une image</translation>
    </message>
    <message>
        <source>put a File cache behind &apos;{node}&apos;</source>
        <translation>placez un Cache sur disque derrière &apos;{node}&apos;</translation>
    </message>
    <message>
        <source>&apos;keepsFrames&apos; is not for such a node</source>
        <translation>&apos;keepsFrames&apos; n’est pas pour un tel nœud</translation>
    </message>
    <message>
        <source>it needs the role solver, without ranks, one input and one output</source>
        <translation>il faut le rôle solver, sans rangs, une entrée et une sortie</translation>
    </message>
    <message>
        <source>&apos;shiftsFrame&apos; is not for such a node</source>
        <translation>&apos;shiftsFrame&apos; n’est pas pour un tel nœud</translation>
    </message>
    <message>
        <source>&apos;{key}&apos; names the unknown input &apos;{input}&apos;</source>
        <translation>« {key} » nomme une entrée inconnue, « {input} »</translation>
    </message>
    <message>
        <source>name an input of the node</source>
        <translation>nommez une entrée du nœud</translation>
    </message>
    <message>
        <source>nothing is excluded</source>
        <translation>rien n’est exclu</translation>
    </message>
    <message>
        <source>give &apos;when&apos;, &apos;linked&apos; or &apos;behind&apos;</source>
        <translation>donnez « when », « linked » ou « behind »</translation>
    </message>
    <message>
        <source>it needs the role value</source>
        <translation>il faut le rôle value</translation>
    </message>
    <message>
        <source>&apos;handle&apos; is not for a parameter of type {type}</source>
        <translation>&apos;handle&apos; ne convient pas à un paramètre de type {type}</translation>
    </message>
    <message>
        <source>&apos;paces&apos; is not for such a parameter</source>
        <translation>« paces » n’est pas pour un tel paramètre</translation>
    </message>
    <message>
        <source>it is for a live float with a &apos;min&apos; above 0</source>
        <translation>c’est pour un float « live » dont le « min » est au-dessus de 0</translation>
    </message>
    <message>
        <source>promoted parameter &apos;{name}&apos; has a range but is of the type {type}</source>
        <translation>le paramètre promu « {name} » a une plage mais est du type {type}</translation>
    </message>
    <message>
        <source>remove &apos;min&apos;, &apos;max&apos;, &apos;softMin&apos; and &apos;softMax&apos;</source>
        <translation>retirez « min », « max », « softMin » et « softMax »</translation>
    </message>
    <message>
        <source>promoted parameter &apos;{name}&apos;: &apos;min&apos; is {value}</source>
        <translation>paramètre promu « {name} » : « min » vaut {value}</translation>
    </message>
    <message>
        <source>must be at least {low}, as of &apos;{target}&apos;</source>
        <translation>doit valoir au moins {low}, comme pour « {target} »</translation>
    </message>
    <message>
        <source>promoted parameter &apos;{name}&apos;: &apos;max&apos; is {value}</source>
        <translation>paramètre promu « {name} » : « max » vaut {value}</translation>
    </message>
    <message>
        <source>must be at most {high}, as of &apos;{target}&apos;</source>
        <translation>doit valoir au plus {high}, comme pour « {target} »</translation>
    </message>
    <message>
        <source>promoted parameter &apos;{name}&apos;: &apos;min&apos; is above max</source>
        <translation>paramètre promu « {name} » : « min » est au-dessus de « max »</translation>
    </message>
    <message>
        <source>promoted parameter &apos;{name}&apos;: &apos;softMin&apos; is not below softMax</source>
        <translation>paramètre promu « {name} » : « softMin » n’est pas au-dessous de « softMax »</translation>
    </message>
    <message>
        <source>must be below {high}</source>
        <translation>doit être au-dessous de {high}</translation>
    </message>
    <message>
        <source>promoted parameter &apos;{name}&apos;: &apos;{target}&apos; is {value}, outside its own range</source>
        <translation>paramètre promu « {name} » : « {target} » vaut {value}, hors de sa propre plage</translation>
    </message>
    <message>
        <source>change &apos;min&apos; or &apos;max&apos;, or the value</source>
        <translation>changez « min » ou « max », ou la valeur</translation>
    </message>
    <message>
        <source>positions, points, rotations, pivots and directions are vectors, scales and sizes vectors or floats, the others floats</source>
        <translation>positions, points, rotations, pivots et directions sont des vecteurs, échelles et tailles des vecteurs ou des nombres, les autres des nombres</translation>
    </message>
    <message>
        <source>&apos;{name}&apos; is about &apos;{value}&apos;, which is no place</source>
        <translation>«&#xa0;{name}&#xa0;» entoure «&#xa0;{value}&#xa0;», qui n’est pas une place</translation>
    </message>
    <message>
        <source>name a parameter with the handle &apos;position&apos; or &apos;point&apos;</source>
        <translation>nommez un paramètre dont la poignée est «&#xa0;position&#xa0;» ou «&#xa0;point&#xa0;»</translation>
    </message>
</context>
<context>
    <name>floe::client::Connection</name>
    <message>
        <source>The runtime closed the connection.</source>
        <translation>Le moteur a fermé la connexion.</translation>
    </message>
    <message>
        <source>The connection to the runtime failed: %1.</source>
        <translation>La connexion au moteur a échoué : %1.</translation>
    </message>
    <message>
        <source>The runtime no longer reads what it is sent.</source>
        <translation>Le moteur ne lit plus ce qui lui est envoyé.</translation>
    </message>
    <message>
        <source>The runtime sent a message longer than 64 MiB.</source>
        <translation>Le moteur a envoyé un message de plus de 64 Mio.</translation>
    </message>
    <message>
        <source>The runtime sent something that is not a message: %1</source>
        <translation>Le moteur a envoyé autre chose qu’un message : %1</translation>
    </message>
</context>
<context>
    <name>floe::client::Runtime</name>
    <message>
        <source>The runtime was restarted.</source>
        <translation>Le moteur a été redémarré.</translation>
    </message>
    <message>
        <source>The runtime was stopped.</source>
        <translation>Le moteur a été arrêté.</translation>
    </message>
    <message>
        <source>The runtime %1 could not be started: %2.</source>
        <translation>Le moteur %1 n’a pas pu démarrer : %2.</translation>
    </message>
    <message>
        <source>The runtime crashed.</source>
        <translation>Le moteur s’est arrêté brutalement.</translation>
    </message>
    <message>
        <source>The runtime ended with code %1.</source>
        <translation>Le moteur s’est terminé avec le code %1.</translation>
    </message>
    <message>
        <source>The runtime ended.</source>
        <translation>Le moteur s’est terminé.</translation>
    </message>
    <message>
        <source>It was cooking node &apos;%1&apos;.</source>
        <translation>Il calculait le nœud « %1 ».</translation>
    </message>
    <message>
        <source>The runtime is not running.</source>
        <translation>Le moteur n’est pas en marche.</translation>
    </message>
    <message>
        <source>The runtime did not answer for %1 seconds.</source>
        <translation>Le moteur n’a pas répondu depuis %1 secondes.</translation>
    </message>
    <message>
        <source>The runtime did not answer &apos;%1&apos; in time.</source>
        <translation>Le moteur n’a pas répondu à « %1 » à temps.</translation>
    </message>
    <message>
        <source>The runtime refused &apos;%1&apos;.</source>
        <translation>Le moteur a refusé « %1 ».</translation>
    </message>
</context>
<context>
    <name>floe::editor::Canvas</name>
    <message>
        <source>Search nodes</source>
        <translation>Chercher un nœud</translation>
    </message>
    <message>
        <source>Find in the network</source>
        <translation>Chercher dans le réseau</translation>
    </message>
    <message>
        <source>Find node…</source>
        <translation>Trouver un nœud…</translation>
    </message>
    <message>
        <source>Find a node of this scene by its name or its kind, and go there</source>
        <translation>Trouver un nœud de cette scène par son nom ou sa sorte, et s’y rendre</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Réseau</translation>
    </message>
    <message>
        <source>There is no subgraph &apos;%1&apos;.</source>
        <translation>Il n’y a pas de sous-graphe « %1 ».</translation>
    </message>
    <message>
        <source>Press Tab to add a node

A scene needs a shape, an emitter, a material and a solver</source>
        <translation>Tab ajoute un nœud

Il faut à une scène une forme, un émetteur, un matériau et un solveur</translation>
    </message>
    <message>
        <source>Takes several wires.</source>
        <translation>Accepte plusieurs liens.</translation>
    </message>
    <message>
        <source>Must be linked.</source>
        <translation>Doit être relié.</translation>
    </message>
    <message>
        <source>The plugin of this node is not installed. The node is kept as it is.</source>
        <translation>Le greffon de ce nœud n’est pas installé. Le nœud est conservé tel quel.</translation>
    </message>
    <message>
        <source>Bypassed: hands its first input on.</source>
        <translation>Contourné : transmet sa première entrée.</translation>
    </message>
    <message>
        <source>Add node…</source>
        <translation>Ajouter un nœud…</translation>
    </message>
    <message>
        <source>Search a node and add it at the pointer</source>
        <translation>Cherche un nœud et l’ajoute sous le pointeur</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>Couper</translation>
    </message>
    <message>
        <source>Copy the selected nodes and delete them</source>
        <translation>Copie puis supprime les nœuds choisis</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Copier</translation>
    </message>
    <message>
        <source>Copy the selected nodes as text</source>
        <translation>Copie les nœuds choisis sous forme de texte</translation>
    </message>
    <message>
        <source>Paste</source>
        <translation>Coller</translation>
    </message>
    <message>
        <source>Add the nodes of the clipboard at the pointer</source>
        <translation>Ajoute les nœuds du presse-papiers sous le pointeur</translation>
    </message>
    <message>
        <source>Duplicate</source>
        <translation>Dupliquer</translation>
    </message>
    <message>
        <source>Copy the selected nodes beside them</source>
        <translation>Copie les nœuds choisis à côté d’eux</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>Supprimer</translation>
    </message>
    <message>
        <source>Delete what is selected</source>
        <translation>Supprime la sélection</translation>
    </message>
    <message>
        <source>Select all</source>
        <translation>Tout sélectionner</translation>
    </message>
    <message>
        <source>Select all nodes</source>
        <translation>Sélectionne tous les nœuds</translation>
    </message>
    <message>
        <source>Bypass</source>
        <translation>Contourner</translation>
    </message>
    <message>
        <source>Switch the selected nodes off or on</source>
        <translation>Désactive ou réactive les nœuds choisis</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>Renommer</translation>
    </message>
    <message>
        <source>Give the selected node another name</source>
        <translation>Donne un autre nom au nœud choisi</translation>
    </message>
    <message>
        <source>Link selected</source>
        <translation>Relier la sélection</translation>
    </message>
    <message>
        <source>Link the two selected nodes by their first sockets that fit</source>
        <translation>Relie les deux nœuds choisis par leurs premières prises compatibles</translation>
    </message>
    <message>
        <source>Group into subgraph</source>
        <translation>Grouper en sous-graphe</translation>
    </message>
    <message>
        <source>Put the selected nodes into a subgraph</source>
        <translation>Place les nœuds choisis dans un sous-graphe</translation>
    </message>
    <message>
        <source>Enter subgraph</source>
        <translation>Entrer dans le sous-graphe</translation>
    </message>
    <message>
        <source>Show what is inside the selected node</source>
        <translation>Montre l’intérieur du nœud choisi</translation>
    </message>
    <message>
        <source>Leave subgraph</source>
        <translation>Sortir du sous-graphe</translation>
    </message>
    <message>
        <source>Back to the graph around this one</source>
        <translation>Revient au graphe englobant</translation>
    </message>
    <message>
        <source>Frame around selection</source>
        <translation>Encadrer la sélection</translation>
    </message>
    <message>
        <source>Draw a titled frame around the selected nodes</source>
        <translation>Dessine un cadre titré autour des nœuds choisis</translation>
    </message>
    <message>
        <source>Add note</source>
        <translation>Ajouter une note</translation>
    </message>
    <message>
        <source>Node colour…</source>
        <translation>Couleur du nœud…</translation>
    </message>
    <message>
        <source>Colour the selected nodes</source>
        <translation>Colore les nœuds choisis</translation>
    </message>
    <message>
        <source>Tidy up</source>
        <translation>Ranger</translation>
    </message>
    <message>
        <source>Arrange the selected nodes, or all, in columns</source>
        <translation>Range en colonnes les nœuds choisis, ou tous</translation>
    </message>
    <message>
        <source>Align left</source>
        <translation>Aligner à gauche</translation>
    </message>
    <message>
        <source>Align left edges</source>
        <translation>Aligne les bords gauches</translation>
    </message>
    <message>
        <source>Align top</source>
        <translation>Aligner en haut</translation>
    </message>
    <message>
        <source>Align top edges</source>
        <translation>Aligne les bords supérieurs</translation>
    </message>
    <message>
        <source>Zoom to selection</source>
        <translation>Cadrer la sélection</translation>
    </message>
    <message>
        <source>Show the selected nodes</source>
        <translation>Montre les nœuds choisis</translation>
    </message>
    <message>
        <source>Zoom to all</source>
        <translation>Tout cadrer</translation>
    </message>
    <message>
        <source>Show the whole network</source>
        <translation>Montre tout le réseau</translation>
    </message>
    <message>
        <source>Help on node</source>
        <translation>Aide sur le nœud</translation>
    </message>
    <message>
        <source>Open the manual page of the selected node</source>
        <translation>Ouvre la page du manuel du nœud choisi</translation>
    </message>
    <message>
        <source>Another instance of this document&apos;s subgraph.</source>
        <translation>Une autre instance de ce sous-graphe du document.</translation>
    </message>
    <message>
        <source>Subgraph</source>
        <translation>Sous-graphe</translation>
    </message>
    <message>
        <source>Add node</source>
        <translation>Ajouter un nœud</translation>
    </message>
    <message>
        <source>Nothing was pasted: %1</source>
        <translation>Rien n’a été collé : %1</translation>
    </message>
    <message>
        <source>Select two nodes to link them.</source>
        <translation>Choisissez deux nœuds à relier.</translation>
    </message>
    <message>
        <source>No output of one fits an input of the other.</source>
        <translation>Aucune sortie de l’un ne convient à une entrée de l’autre.</translation>
    </message>
    <message>
        <source>Frame</source>
        <translation>Cadre</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>Note</translation>
    </message>
    <message>
        <source>Node colour</source>
        <translation>Couleur du nœud</translation>
    </message>
    <message>
        <source>Name of the node</source>
        <translation>Nom du nœud</translation>
    </message>
    <message>
        <source>Title of the frame</source>
        <translation>Titre du cadre</translation>
    </message>
    <message>
        <source>Text of the note</source>
        <translation>Texte de la note</translation>
    </message>
    <message>
        <source>Move frame</source>
        <translation>Déplacer le cadre</translation>
    </message>
    <message>
        <source>Resize frame</source>
        <translation>Redimensionner le cadre</translation>
    </message>
    <message>
        <source>Insert %1</source>
        <translation>Insérer %1</translation>
    </message>
    <message>
        <source>&apos;%1&apos; has no inputs.</source>
        <translation>« %1 » n’a pas d’entrée.</translation>
    </message>
    <message>
        <source>&apos;%1&apos; has no outputs.</source>
        <translation>« %1 » n’a pas de sortie.</translation>
    </message>
    <message>
        <source>Both are outputs: a wire goes from an output to an input.</source>
        <translation>Ce sont deux sorties : un lien va d’une sortie à une entrée.</translation>
    </message>
    <message>
        <source>Both are inputs: a wire goes from an output to an input.</source>
        <translation>Ce sont deux entrées : un lien va d’une sortie à une entrée.</translation>
    </message>
    <message>
        <source>Link %1 to %2</source>
        <translation>Relier %1 à %2</translation>
    </message>
    <message>
        <source>Takes the output &apos;%1&apos;</source>
        <translation>Reçoit la sortie « %1 »</translation>
    </message>
    <message>
        <source>Feeds the input &apos;%1&apos;</source>
        <translation>Alimente l’entrée « %1 »</translation>
    </message>
    <message>
        <source>Cut wire</source>
        <translation>Couper le lien</translation>
    </message>
    <message>
        <source>Straighten wire</source>
        <translation>Redresser le lien</translation>
    </message>
    <message>
        <source>Map of the network</source>
        <translation>Carte du réseau</translation>
    </message>
    <message>
        <source>Select the nodes that the asset is to have.</source>
        <translation>Sélectionnez les nœuds de la ressource.</translation>
    </message>
    <message>
        <source>Save as asset</source>
        <translation>Enregistrer comme ressource</translation>
    </message>
    <message>
        <source>Name, under which the node search finds it:</source>
        <translation>Nom sous lequel la recherche de nœuds la trouve :</translation>
    </message>
    <message>
        <source>An asset&apos;s name has letters, digits, spaces, _ and - only.</source>
        <translation>Le nom d’une ressource n’a que des lettres, des chiffres, des espaces, _ et -.</translation>
    </message>
    <message>
        <source>The asset &apos;%1&apos; was replaced.</source>
        <translation>La ressource « %1 » a été remplacée.</translation>
    </message>
    <message>
        <source>The asset &apos;%1&apos; was saved.</source>
        <translation>La ressource « %1 » a été enregistrée.</translation>
    </message>
    <message>
        <source>The asset was not saved: %1</source>
        <translation>La ressource n’a pas été enregistrée : %1</translation>
    </message>
    <message>
        <source>Asset</source>
        <translation>Ressource</translation>
    </message>
    <message>
        <source>A subgraph of yours, kept in %1.</source>
        <translation>Un de vos sous-graphes, gardé dans %1.</translation>
    </message>
    <message>
        <source>Save as asset…</source>
        <translation>Enregistrer comme ressource…</translation>
    </message>
    <message>
        <source>Keep the selected nodes as a subgraph that the node search finds</source>
        <translation>Garder les nœuds choisis en un sous-graphe que la recherche de nœuds trouve</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Show or hide the small map, which appears when part is out of sight</source>
        <translation>Afficher ou masquer la petite carte, qui apparaît quand une partie est hors de vue</translation>
    </message>
    <message>
        <source>The map of the network is hidden; M shows it.</source>
        <translation>La carte du réseau est masquée ; M l’affiche.</translation>
    </message>
    <message>
        <source>The map shows the network as soon as there is a node.</source>
        <translation>La carte montre le réseau dès qu’il y a un nœud.</translation>
    </message>
    <message>
        <source>The map needs a larger network panel.</source>
        <translation>La carte demande un panneau de réseau plus grand.</translation>
    </message>
    <message numerus="yes">
        <source>%n wire(s) made to what was free; undo takes them back</source>
        <translation>
            <numerusform>%n fil tiré vers ce qui était libre ; annuler le retire</numerusform>
            <numerusform>%n fils tirés vers ce qui était libre ; annuler les retire</numerusform>
        </translation>
    </message>
    <message>
        <source>There is an asset &apos;%1&apos; already. Replace it?</source>
        <translation>Il y a déjà une ressource « %1 ». La remplacer ?</translation>
    </message>
    <message>
        <source>Simulated: the frame looked at is kept and up to date.</source>
        <translation>Simulé : l’image regardée est conservée et à jour.</translation>
    </message>
    <message>
        <source>Of its category</source>
        <translation>Celle de sa catégorie</translation>
    </message>
    <message>
        <source>Red</source>
        <translation>Rouge</translation>
    </message>
    <message>
        <source>Orange</source>
        <translation>Orange</translation>
    </message>
    <message>
        <source>Yellow</source>
        <translation>Jaune</translation>
    </message>
    <message>
        <source>Green</source>
        <translation>Vert</translation>
    </message>
    <message>
        <source>Teal</source>
        <translation>Bleu-vert</translation>
    </message>
    <message>
        <source>Blue</source>
        <translation>Bleu</translation>
    </message>
    <message>
        <source>Violet</source>
        <translation>Violet</translation>
    </message>
    <message>
        <source>Grey</source>
        <translation>Gris</translation>
    </message>
    <message>
        <source>Another…</source>
        <translation>Une autre…</translation>
    </message>
    <message>
        <source>Outputs of the same name were linked with it; undo takes it back</source>
        <translation>Les sorties de même nom ont été liées avec elle ; annuler défait le tout</translation>
    </message>
    <message>
        <source>No frame is on disk yet.</source>
        <translation>Aucune image n’est encore sur disque.</translation>
    </message>
    <message numerus="yes">
        <source>On disk: %n frame(s) of %1.</source>
        <translation>
            <numerusform>Sur disque : %n image sur %1.</numerusform>
            <numerusform>Sur disque : %n images sur %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n stale one(s) will be made anew: what led to them has changed.</source>
        <translation>
            <numerusform>%n image périmée sera refaite : ce qui y a mené a changé.</numerusform>
            <numerusform>%n images périmées seront refaites : ce qui y a mené a changé.</numerusform>
        </translation>
    </message>
    <message>
        <source>Write a note on the network, or on the selected wire</source>
        <translation>Écrit une note sur le réseau, ou sur le lien choisi</translation>
    </message>
    <message>
        <source>Note on the wire</source>
        <translation>Note du lien</translation>
    </message>
    <message>
        <source>Note on wire</source>
        <translation>Noter sur le lien</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is %2 now.</source>
        <translation>« %1 » est maintenant : %2.</translation>
    </message>
    <message>
        <source>%1 for</source>
        <translation>%1 pour</translation>
    </message>
    <message>
        <source>Ghost in the viewport</source>
        <translation>Fantôme dans la vue</translation>
    </message>
    <message>
        <source>See the shapes of the selected nodes through everything, or not</source>
        <translation>Voir les formes des nœuds choisis à travers tout, ou non</translation>
    </message>
    <message>
        <source>%1 Without a picture: %2</source>
        <translation>%1 Sans image : %2</translation>
    </message>
</context>
<context>
    <name>floe::editor::ComparePanel</name>
    <message>
        <source>Merge</source>
        <translation>Fusionner</translation>
    </message>
    <message>
        <source>All mine</source>
        <translation>Tout d’ici</translation>
    </message>
    <message>
        <source>All theirs</source>
        <translation>Tout de là-bas</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Fermer</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>Différences</translation>
    </message>
    <message>
        <source>Nothing is compared. The menu File compares the scene with its last saved state or with another file.</source>
        <translation>Rien n’est comparé. Le menu Fichier compare la scène avec son dernier état enregistré ou avec un autre fichier.</translation>
    </message>
    <message>
        <source>The scene is the same as %1, but for places of nodes.</source>
        <translation>La scène est la même que %1, aux places des nœuds près.</translation>
    </message>
    <message numerus="yes">
        <source>%n difference(s) from %1</source>
        <translation>
            <numerusform>%n différence avec %1</numerusform>
            <numerusform>%n différences avec %1</numerusform>
        </translation>
    </message>
    <message>
        <source>Where</source>
        <translation>Où</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>Avant</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>Maintenant</translation>
    </message>
    <message>
        <source>Mine</source>
        <translation>Ici</translation>
    </message>
    <message>
        <source>Theirs</source>
        <translation>Là-bas</translation>
    </message>
    <message>
        <source>Both have changed</source>
        <translation>Modifié des deux côtés</translation>
    </message>
    <message>
        <source>Comes from %1</source>
        <translation>Vient de : %1</translation>
    </message>
    <message>
        <source>Gets another name, as mine has it already</source>
        <translation>Reçoit un autre nom, déjà pris ici</translation>
    </message>
    <message>
        <source>Nothing that you changed was changed in %1: both can be joined.</source>
        <translation>Rien de ce que vous avez modifié ne l’a été dans %1 : les deux peuvent être réunis.</translation>
    </message>
    <message numerus="yes">
        <source>%n value(s) were changed here and in %1: choose one for each.</source>
        <translation>
            <numerusform>%n valeur a été modifiée ici et dans %1 : choisissez.</numerusform>
            <numerusform>%n valeurs ont été modifiées ici et dans %1 : choisissez pour chacune.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>et %n autre</numerusform>
            <numerusform>et %n autres</numerusform>
        </translation>
    </message>
    <message>
        <source>the node</source>
        <translation>le nœud</translation>
    </message>
    <message>
        <source>name</source>
        <translation>nom</translation>
    </message>
    <message>
        <source>link</source>
        <translation>lien</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>rien</translation>
    </message>
    <message>
        <source>Choose a side of each conflict first.</source>
        <translation>Choisissez d’abord un côté pour chaque conflit.</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
</context>
<context>
    <name>floe::editor::ConnectDialog</name>
    <message>
        <source>Connect to a runtime</source>
        <translation>Se connecter à un moteur</translation>
    </message>
    <message>
        <source>Simulate on another computer. Run there &lt;code&gt;floe serve --listen HOST:PORT --keep&lt;/code&gt;; it prints its address and a token.</source>
        <translation>Simuler sur un autre ordinateur. Y lancer &lt;code&gt;floe serve --listen HOST:PORT --keep&lt;/code&gt;, qui affiche son adresse et un jeton.</translation>
    </message>
    <message>
        <source>host:port</source>
        <translation>hôte:port</translation>
    </message>
    <message>
        <source>Where the runtime listens, such as render-7:7000</source>
        <translation>Là où le moteur écoute, par exemple render-7:7000</translation>
    </message>
    <message>
        <source>what it printed after &apos;token&apos;</source>
        <translation>ce qu’il a affiché après « token »</translation>
    </message>
    <message>
        <source>Shows the runtime that you may use it</source>
        <translation>Montre au moteur que vous pouvez l’utiliser</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>Adresse</translation>
    </message>
    <message>
        <source>Token</source>
        <translation>Jeton</translation>
    </message>
    <message>
        <source>Files that the scene names are read and written there. What is sent is not encrypted: use a network that you trust, or a tunnel.</source>
        <translation>Les fichiers nommés par la scène sont lus et écrits là-bas. Rien n’est chiffré : utilisez un réseau de confiance ou un tunnel.</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>Se connecter</translation>
    </message>
    <message>
        <source>Use this computer</source>
        <translation>Utiliser cet ordinateur</translation>
    </message>
    <message>
        <source>Leave the other computer and simulate here</source>
        <translation>Quitter l’autre ordinateur et simuler ici</translation>
    </message>
    <message>
        <source>An address is a name or number, a colon and a port: 192.168.1.7:7000</source>
        <translation>Une adresse est un nom ou un numéro, deux-points et un port : 192.168.1.7:7000</translation>
    </message>
</context>
<context>
    <name>floe::editor::CostEstimate</name>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 min</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 h</translation>
    </message>
    <message>
        <source>%1 MiB</source>
        <translation>%1 Mio</translation>
    </message>
    <message>
        <source>%1 GiB</source>
        <translation>%1 Gio</translation>
    </message>
    <message>
        <source>Trying the first frames…</source>
        <translation>Essai des premières images…</translation>
    </message>
    <message>
        <source>%1 particles, %2</source>
        <translation>%1 particules, %2</translation>
    </message>
    <message>
        <source>About %1 particles, %2</source>
        <translation>Environ %1 particules, %2</translation>
    </message>
    <message>
        <source>%1 steps a frame</source>
        <translation>%1 pas par image</translation>
    </message>
    <message numerus="yes">
        <source>%n frames in %1</source>
        <translation>
            <numerusform>%n image en %1</numerusform>
            <numerusform>%n images en %1</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 if emitters go on to the end</source>
        <translation>%1 si les émetteurs continuent jusqu’à la fin</translation>
    </message>
</context>
<context>
    <name>floe::editor::Document</name>
    <message numerus="yes">
        <source>Paste %n node(s)</source>
        <translation>
            <numerusform>Coller %n nœud</numerusform>
            <numerusform>Coller %n nœuds</numerusform>
        </translation>
    </message>
    <message>
        <source>Untitled</source>
        <translation>Sans titre</translation>
    </message>
    <message>
        <source>Add %1</source>
        <translation>Ajouter %1</translation>
    </message>
    <message numerus="yes">
        <source>Delete %n node(s)</source>
        <translation>
            <numerusform>Supprimer %n nœud</numerusform>
            <numerusform>Supprimer %n nœuds</numerusform>
        </translation>
    </message>
    <message>
        <source>A name starts with a letter and has letters, digits and _ only.</source>
        <translation>Un nom commence par une lettre et ne contient que des lettres, des chiffres et _.</translation>
    </message>
    <message>
        <source>There is a node &apos;%1&apos; already.</source>
        <translation>Il y a déjà un nœud « %1 ».</translation>
    </message>
    <message>
        <source>Rename to %1</source>
        <translation>Renommer en %1</translation>
    </message>
    <message numerus="yes">
        <source>Move %n node(s)</source>
        <translation>
            <numerusform>Déplacer %n nœud</numerusform>
            <numerusform>Déplacer %n nœuds</numerusform>
        </translation>
    </message>
    <message>
        <source>Reset %1 of %2</source>
        <translation>Rétablir %1 de %2</translation>
    </message>
    <message>
        <source>Set %1 of %2</source>
        <translation>Régler %1 de %2</translation>
    </message>
    <message>
        <source>Bypass</source>
        <translation>Contourner</translation>
    </message>
    <message>
        <source>Use again</source>
        <translation>Réactiver</translation>
    </message>
    <message>
        <source>Colour nodes</source>
        <translation>Colorer les nœuds</translation>
    </message>
    <message>
        <source>Edit note</source>
        <translation>Modifier la note</translation>
    </message>
    <message>
        <source>Edit frame</source>
        <translation>Modifier le cadre</translation>
    </message>
    <message>
        <source>Set frame range</source>
        <translation>Régler la plage d’images</translation>
    </message>
    <message numerus="yes">
        <source>Group %n node(s)</source>
        <translation>
            <numerusform>Grouper %n nœud</numerusform>
            <numerusform>Grouper %n nœuds</numerusform>
        </translation>
    </message>
    <message>
        <source>Promote %1</source>
        <translation>Promouvoir %1</translation>
    </message>
    <message>
        <source>Stop promoting %1</source>
        <translation>Ne plus promouvoir %1</translation>
    </message>
    <message>
        <source>The node is no longer there.</source>
        <translation>Le nœud n’existe plus.</translation>
    </message>
    <message>
        <source>The plugin of &apos;%1&apos; is missing, so its sockets are not known.</source>
        <translation>Le greffon de « %1 » manque : ses prises sont inconnues.</translation>
    </message>
    <message>
        <source>There is no such socket.</source>
        <translation>Cette prise n’existe pas.</translation>
    </message>
    <message>
        <source>A node cannot feed itself.</source>
        <translation>Un nœud ne peut pas s’alimenter lui-même.</translation>
    </message>
    <message>
        <source>&apos;%1&apos; takes %2, but this is %3.</source>
        <translation>« %1 » reçoit %2, mais ceci est %3.</translation>
    </message>
    <message>
        <source>This would make a loop: &apos;%1&apos; depends on &apos;%2&apos; already.</source>
        <translation>Cela ferait une boucle : « %1 » dépend déjà de « %2 ».</translation>
    </message>
    <message>
        <source>They are linked already.</source>
        <translation>Ils sont déjà reliés.</translation>
    </message>
    <message>
        <source>Link %1 to %2</source>
        <translation>Relier %1 à %2</translation>
    </message>
    <message numerus="yes">
        <source>Cut %n wire(s)</source>
        <translation>
            <numerusform>Couper %n lien</numerusform>
            <numerusform>Couper %n liens</numerusform>
        </translation>
    </message>
    <message>
        <source>Route wire</source>
        <translation>Diriger le lien</translation>
    </message>
    <message>
        <source>Insert %1</source>
        <translation>Insérer %1</translation>
    </message>
    <message numerus="yes">
        <source>Set %1 of %n nodes</source>
        <translation>
            <numerusform>Définir %1 de %n nœud</numerusform>
            <numerusform>Définir %1 de %n nœuds</numerusform>
        </translation>
    </message>
    <message>
        <source>Note on wire</source>
        <translation>Noter sur le lien</translation>
    </message>
    <message>
        <source>Preset %1</source>
        <translation>Préréglage %1</translation>
    </message>
    <message>
        <source>Show as ghost</source>
        <translation>Montrer en fantôme</translation>
    </message>
    <message>
        <source>No ghost</source>
        <translation>Plus de fantôme</translation>
    </message>
    <message>
        <source>There is no such parameter.</source>
        <translation>Ce paramètre n’existe pas.</translation>
    </message>
    <message>
        <source>The minimum must be at least %1, as inside.</source>
        <translation>Le minimum doit valoir au moins %1, comme à l’intérieur.</translation>
    </message>
    <message>
        <source>The maximum must be at most %1, as inside.</source>
        <translation>Le maximum doit valoir au plus %1, comme à l’intérieur.</translation>
    </message>
    <message>
        <source>The minimum is above the maximum.</source>
        <translation>Le minimum est au-dessus du maximum.</translation>
    </message>
    <message>
        <source>The slider must begin below its end.</source>
        <translation>La glissière doit commencer au-dessous de sa fin.</translation>
    </message>
    <message>
        <source>Change how %1 is shown</source>
        <translation>Changer comment %1 est montré</translation>
    </message>
    <message>
        <source>Move %1</source>
        <translation>Déplacer %1</translation>
    </message>
</context>
<context>
    <name>floe::editor::Drive</name>
    <message>
        <source>Select a node whose position can be driven, a collider for instance.</source>
        <translation>Sélectionnez un nœud dont la position peut être conduite, un collisionneur par exemple.</translation>
    </message>
    <message>
        <source>Stop the simulation first: driving makes its own frames.</source>
        <translation>Arrêtez d’abord la simulation : la conduite fait ses propres images.</translation>
    </message>
    <message>
        <source>The position follows an expression, which driving would replace.</source>
        <translation>La position suit une expression, que la conduite remplacerait.</translation>
    </message>
    <message>
        <source>The position was changed elsewhere.</source>
        <translation>La position a été changée ailleurs.</translation>
    </message>
    <message>
        <source>Frame %1 is the scene&apos;s last.</source>
        <translation>L’image %1 est la dernière de la scène.</translation>
    </message>
    <message>
        <source>The simulation ended.</source>
        <translation>La simulation s’est terminée.</translation>
    </message>
</context>
<context>
    <name>floe::editor::EmitterKeys</name>
    <message>
        <source>%1 in the viewport</source>
        <translation>%1 dans la vue</translation>
    </message>
    <message>
        <source>%1: an expression starts and stops it</source>
        <translation>%1&#xa0;: une expression le lance et l’arrête</translation>
    </message>
    <message>
        <source>%1 emits</source>
        <translation>%1 émet</translation>
    </message>
    <message>
        <source>%1 emits nothing</source>
        <translation>%1 n’émet rien</translation>
    </message>
</context>
<context>
    <name>floe::editor::LibraryPanel</name>
    <message>
        <source>Search</source>
        <translation>Chercher</translation>
    </message>
    <message>
        <source>Group</source>
        <translation>Groupe</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>Bibliothèque</translation>
    </message>
    <message>
        <source>Everything</source>
        <translation>Tout</translation>
    </message>
</context>
<context>
    <name>floe::editor::LiveAdvice</name>
    <message>
        <source>Time ran at %1 of its speed, because frames took longer than the scene&apos;s rate allows.</source>
        <translation>Le temps est passé à %1 de sa vitesse, car les images prenaient plus de temps que la cadence de la scène n’en laisse.</translation>
    </message>
    <message>
        <source>Use cells of %1 m</source>
        <translation>Prendre des cellules de %1 m</translation>
    </message>
    <message>
        <source>Use larger cells</source>
        <translation>Prendre des cellules plus grandes</translation>
    </message>
    <message>
        <source>Larger cells</source>
        <translation>Cellules plus grandes</translation>
    </message>
    <message>
        <source>Cells of %1 m kept the rate; those of the scene are %2 m.</source>
        <translation>Des cellules de %1 m ont tenu la cadence&#xa0;; celles de la scène font %2 m.</translation>
    </message>
</context>
<context>
    <name>floe::editor::LiveCells</name>
    <message>
        <source>trying cells…</source>
        <translation>essai de cellules…</translation>
    </message>
    <message>
        <source>The first frames are simulated, to find cells for the rate</source>
        <translation>Les premières images sont simulées, pour trouver des cellules à la cadence</translation>
    </message>
    <message>
        <source>cells of %1 m</source>
        <translation>cellules de %1 m</translation>
    </message>
    <message>
        <source>Live runs have cells of %1 m, for %2 frames a second</source>
        <translation>Les calculs en direct ont des cellules de %1 m, pour %2 images par seconde</translation>
    </message>
</context>
<context>
    <name>floe::editor::MainWindow</name>
    <message>
        <source>Add the scene %1</source>
        <translation>Ajouter la scène %1</translation>
    </message>
    <message>
        <source>Run a command</source>
        <translation>Lancer une commande</translation>
    </message>
    <message>
        <source>Network</source>
        <translation>Réseau</translation>
    </message>
    <message>
        <source>Ready scene</source>
        <translation>Scène prête</translation>
    </message>
    <message>
        <source>The safety copy could not be written: %1</source>
        <translation>La copie de sécurité n’a pas pu être écrite : %1</translation>
    </message>
    <message>
        <source>Show or hide %1</source>
        <translation>Montre ou cache %1</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>&amp;Fichier</translation>
    </message>
    <message>
        <source>&amp;Edit</source>
        <translation>&amp;Édition</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>&amp;Affichage</translation>
    </message>
    <message>
        <source>&amp;Node</source>
        <translation>&amp;Nœud</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>&amp;Calcul</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>&amp;Aide</translation>
    </message>
    <message>
        <source>New</source>
        <translation>Nouveau</translation>
    </message>
    <message>
        <source>Begin an empty scene</source>
        <translation>Commence une scène vide</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Ouvrir…</translation>
    </message>
    <message>
        <source>Open a graph file</source>
        <translation>Ouvre un fichier de graphe</translation>
    </message>
    <message>
        <source>Open recent</source>
        <translation>Fichiers récents</translation>
    </message>
    <message>
        <source>Start page</source>
        <translation>Page d’accueil</translation>
    </message>
    <message>
        <source>Example scenes and recent files</source>
        <translation>Scènes d’exemple et fichiers récents</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Enregistrer</translation>
    </message>
    <message>
        <source>Save the graph</source>
        <translation>Enregistre le graphe</translation>
    </message>
    <message>
        <source>Save as…</source>
        <translation>Enregistrer sous…</translation>
    </message>
    <message>
        <source>Save the graph as another file</source>
        <translation>Enregistre le graphe dans un autre fichier</translation>
    </message>
    <message>
        <source>Copy command line</source>
        <translation>Copier la ligne de commande</translation>
    </message>
    <message>
        <source>Copy the command that simulates this scene without the editor</source>
        <translation>Copie la commande qui simule cette scène sans l’éditeur</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Quitter</translation>
    </message>
    <message>
        <source>Close the window</source>
        <translation>Ferme la fenêtre</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Rétablir</translation>
    </message>
    <message>
        <source>Run a command…</source>
        <translation>Lancer une commande…</translation>
    </message>
    <message>
        <source>Find any command by its name</source>
        <translation>Trouve une commande par son nom</translation>
    </message>
    <message>
        <source>Shortcuts…</source>
        <translation>Raccourcis…</translation>
    </message>
    <message>
        <source>Change the keys of commands</source>
        <translation>Change les touches des commandes</translation>
    </message>
    <message>
        <source>Full screen</source>
        <translation>Plein écran</translation>
    </message>
    <message>
        <source>Use the whole screen, or not</source>
        <translation>Utilise tout l’écran, ou non</translation>
    </message>
    <message>
        <source>Reset layout</source>
        <translation>Disposition d’origine</translation>
    </message>
    <message>
        <source>Put all panels where they were first</source>
        <translation>Remet tous les panneaux à leur place d’origine</translation>
    </message>
    <message>
        <source>Manual</source>
        <translation>Manuel</translation>
    </message>
    <message>
        <source>Tutorials and the reference of all nodes</source>
        <translation>Tutoriels et référence de tous les nœuds</translation>
    </message>
    <message>
        <source>About Floe</source>
        <translation>À propos de Floe</translation>
    </message>
    <message>
        <source>Version and licences</source>
        <translation>Version et licences</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>Outils</translation>
    </message>
    <message>
        <source>&lt;h3&gt;Floe %1&lt;/h3&gt;&lt;p&gt;Node graphs for physical simulation.&lt;/p&gt;</source>
        <translation>&lt;h3&gt;Floe %1&lt;/h3&gt;&lt;p&gt;Des graphes de nœuds pour la simulation physique.&lt;/p&gt;</translation>
    </message>
    <message>
        <source>Apache License 2.0. Uses Qt %1, OpenVDB, Vulkan and nlohmann::json; their licences are their own.</source>
        <translation>Licence Apache 2.0. Utilise Qt %1, OpenVDB, Vulkan et nlohmann::json, qui ont leurs propres licences.</translation>
    </message>
    <message>
        <source>%1[*] – Floe</source>
        <translation>%1[*] – Floe</translation>
    </message>
    <message numerus="yes">
        <source>%n error(s)</source>
        <translation>
            <numerusform>%n erreur</numerusform>
            <numerusform>%n erreurs</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <translation>
            <numerusform>%n avertissement</numerusform>
            <numerusform>%n avertissements</numerusform>
        </translation>
    </message>
    <message>
        <source>No faults</source>
        <translation>Aucun défaut</translation>
    </message>
    <message>
        <source>Floe graphs (*.floe.json);;All files (*)</source>
        <translation>Graphes Floe (*.floe.json);;Tous les fichiers (*)</translation>
    </message>
    <message>
        <source>This file was not opened: %1</source>
        <translation>Ce fichier n’a pas été ouvert : %1</translation>
    </message>
    <message>
        <source>This file holds text that Floe cannot keep, so it will not save over it: %1</source>
        <translation>Ce fichier contient du texte que Floe ne peut pas conserver ; il ne sera pas écrasé : %1</translation>
    </message>
    <message>
        <source>Open</source>
        <translation>Ouvrir</translation>
    </message>
    <message>
        <source>Not saved: %1</source>
        <translation>Non enregistré : %1</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1 enregistré</translation>
    </message>
    <message>
        <source>untitled</source>
        <translation>sans_titre</translation>
    </message>
    <message>
        <source>Save as</source>
        <translation>Enregistrer sous</translation>
    </message>
    <message>
        <source>Unsaved changes</source>
        <translation>Modifications non enregistrées</translation>
    </message>
    <message>
        <source>&apos;%1&apos; has changes that are not saved.</source>
        <translation>« %1 » a des modifications non enregistrées.</translation>
    </message>
    <message>
        <source>Without saving they are lost.</source>
        <translation>Sans enregistrement, elles sont perdues.</translation>
    </message>
    <message>
        <source>an unsaved scene</source>
        <translation>une scène non enregistrée</translation>
    </message>
    <message>
        <source>Floe ended without saving %1. A copy of %2 is there.</source>
        <translation>Floe s’est arrêté sans enregistrer %1. Il reste une copie du %2.</translation>
    </message>
    <message>
        <source>Recover</source>
        <translation>Récupérer</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>Abandonner</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is an example, which stays as it is: choose another name.</source>
        <translation>« %1 » est un exemple, qui reste tel quel : choisissez un autre nom.</translation>
    </message>
    <message>
        <source>&apos;%1&apos; exists already. Replace it?</source>
        <translation>« %1 » existe déjà. Le remplacer ?</translation>
    </message>
    <message>
        <source>Changed by somebody else</source>
        <translation>Modifié par quelqu’un d’autre</translation>
    </message>
    <message>
        <source>&apos;%1&apos; was changed on disk since it was opened here.</source>
        <translation>« %1 » a été modifié sur le disque depuis son ouverture ici.</translation>
    </message>
    <message>
        <source>Saving over it keeps the other version in the folder &apos;backup&apos;.</source>
        <translation>L’écraser garde l’autre version dans le dossier « backup ».</translation>
    </message>
    <message>
        <source>Save over it</source>
        <translation>Écraser</translation>
    </message>
    <message>
        <source>There is nothing to undo.</source>
        <translation>Il n’y a rien à annuler.</translation>
    </message>
    <message>
        <source>There is nothing to redo.</source>
        <translation>Il n’y a rien à rétablir.</translation>
    </message>
    <message>
        <source>Not possible at the moment.</source>
        <translation>Impossible pour le moment.</translation>
    </message>
    <message>
        <source>&apos;%1&apos; was changed on disk by another program.</source>
        <translation>« %1 » a été modifié sur le disque par un autre programme.</translation>
    </message>
    <message>
        <source>Reload</source>
        <translation>Relire</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not on disk any more; saving writes it again.</source>
        <translation>« %1 » n’est plus sur le disque ; l’enregistrement l’écrira de nouveau.</translation>
    </message>
    <message>
        <source>Discard the copy</source>
        <translation>Abandonner la copie</translation>
    </message>
    <message>
        <source>Discard the copy of %1? It cannot be brought back.</source>
        <translation>Abandonner la copie de %1 ? Elle ne pourra pas être récupérée.</translation>
    </message>
    <message>
        <source>What a run takes</source>
        <translation>Ce que demande une exécution</translation>
    </message>
    <message>
        <source>Try the first frames: particles, memory, steps and time</source>
        <translation>Essayer les premières images : particules, mémoire, pas et temps</translation>
    </message>
    <message>
        <source>Compare with last saved</source>
        <translation>Comparer avec le dernier enregistrement</translation>
    </message>
    <message>
        <source>Show what was edited since the scene was saved</source>
        <translation>Montrer ce qui a été modifié depuis l’enregistrement de la scène</translation>
    </message>
    <message>
        <source>Compare with a file…</source>
        <translation>Comparer avec un fichier…</translation>
    </message>
    <message>
        <source>Show how the scene differs from another graph file</source>
        <translation>Montrer en quoi la scène diffère d’un autre fichier de graphe</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>Comparer</translation>
    </message>
    <message>
        <source>the last saved state</source>
        <translation>le dernier état enregistré</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>Comparer avec</translation>
    </message>
    <message>
        <source>&apos;%1&apos;</source>
        <translation>« %1 »</translation>
    </message>
    <message>
        <source>This file was not compared: %1</source>
        <translation>Ce fichier n’a pas été comparé : %1</translation>
    </message>
    <message>
        <source>Merge…</source>
        <translation>Fusionner…</translation>
    </message>
    <message>
        <source>What is on disk cannot be read: %1</source>
        <translation>Ce qui est sur le disque ne peut pas être lu : %1</translation>
    </message>
    <message>
        <source>the file on disk</source>
        <translation>le fichier sur le disque</translation>
    </message>
    <message>
        <source>The file was changed again: this is what it holds now.</source>
        <translation>Le fichier a encore changé : voici ce qu’il contient maintenant.</translation>
    </message>
    <message>
        <source>Merge</source>
        <translation>Fusionner</translation>
    </message>
    <message>
        <source>Merged; undo brings back what was here.</source>
        <translation>Fusionné ; annuler ramène ce qui était ici.</translation>
    </message>
    <message>
        <source>Library</source>
        <translation>Bibliothèque</translation>
    </message>
    <message>
        <source>There</source>
        <translation>Là-bas</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>Ici</translation>
    </message>
    <message>
        <source>On disk</source>
        <translation>Sur le disque</translation>
    </message>
</context>
<context>
    <name>floe::editor::NetworkView</name>
    <message>
        <source>Shown here</source>
        <translation>Affiché ici</translation>
    </message>
    <message>
        <source>Back to here (U)</source>
        <translation>Revenir ici (U)</translation>
    </message>
</context>
<context>
    <name>floe::editor::NodePreview</name>
    <message>
        <source>Preview</source>
        <translation>Aperçu</translation>
    </message>
    <message>
        <source>What these values make of it. A click shows its frames again.</source>
        <translation>Ce que ces valeurs en font. Un clic montre de nouveau ses images.</translation>
    </message>
    <message>
        <source>Waits for the simulation</source>
        <translation>Attend la simulation</translation>
    </message>
    <message>
        <source>Simulating …</source>
        <translation>Simulation…</translation>
    </message>
</context>
<context>
    <name>floe::editor::Notice</name>
    <message>
        <source>Dismiss</source>
        <translation>Fermer</translation>
    </message>
</context>
<context>
    <name>floe::editor::OtherRun</name>
    <message>
        <source>%1 particles</source>
        <translation>%1 particules</translation>
    </message>
    <message>
        <source>up to %1 m/s</source>
        <translation>jusqu’à %1 m/s</translation>
    </message>
    <message>
        <source>%1 substeps</source>
        <translation>%1 sous-pas</translation>
    </message>
    <message>
        <source>Compare with another run…</source>
        <translation>Comparer avec une autre simulation…</translation>
    </message>
    <message>
        <source>Show a run with --cache, such as a variant of a sweep, beside this one</source>
        <translation>Montrer à côté de celle-ci une simulation faite avec --cache, comme une variante d’un balayage</translation>
    </message>
    <message>
        <source>Compare with a run</source>
        <translation>Comparer avec une simulation</translation>
    </message>
    <message>
        <source>Runs (run.json);;All files (*)</source>
        <translation>Simulations (run.json);;Tous les fichiers (*)</translation>
    </message>
    <message>
        <source>Hold this scene for comparison</source>
        <translation>Retenir cette scène pour comparer</translation>
    </message>
    <message>
        <source>Simulate the scene as it is now beside what it becomes</source>
        <translation>Simuler la scène telle qu’elle est, à côté de ce qu’elle devient</translation>
    </message>
    <message>
        <source>Side by side</source>
        <translation>Côte à côte</translation>
    </message>
    <message>
        <source>Show the two runs beside each other, not by a line that wipes between them</source>
        <translation>Montrer les deux simulations l’une à côté de l’autre, et non séparées par une ligne mobile</translation>
    </message>
    <message>
        <source>End the comparison</source>
        <translation>Terminer la comparaison</translation>
    </message>
    <message>
        <source>Show this run alone</source>
        <translation>Montrer cette simulation seule</translation>
    </message>
    <message>
        <source>This run cannot be shown: %1</source>
        <translation>Cette simulation ne peut pas être montrée : %1</translation>
    </message>
    <message>
        <source>held</source>
        <translation>retenue</translation>
    </message>
    <message>
        <source>This scene</source>
        <translation>Cette scène</translation>
    </message>
    <message>
        <source>No other run is shown.</source>
        <translation>Aucune autre simulation n’est montrée.</translation>
    </message>
</context>
<context>
    <name>floe::editor::PreferencesDialog</name>
    <message>
        <source>Preferences</source>
        <translation>Préférences</translation>
    </message>
    <message>
        <source>Interface</source>
        <translation>Interface</translation>
    </message>
    <message>
        <source>System default</source>
        <translation>Celle du système</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Langue</translation>
    </message>
    <message>
        <source>Language of menus, panels and messages</source>
        <translation>Langue des menus, des panneaux et des messages</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1 %</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>Taille</translation>
    </message>
    <message>
        <source>Size of text, icons and fields</source>
        <translation>Taille du texte, des icônes et des champs</translation>
    </message>
    <message>
        <source>Change shortcuts…</source>
        <translation>Modifier les raccourcis…</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Touches</translation>
    </message>
    <message>
        <source>Change the keys of commands</source>
        <translation>Change les touches des commandes</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>Fichiers</translation>
    </message>
    <message>
        <source> s</source>
        <translation> s</translation>
    </message>
    <message>
        <source>Safety copy at least every</source>
        <translation>Copie de sécurité au moins toutes les</translation>
    </message>
    <message>
        <source>The longest time that a change is only in memory. The copy is offered after a crash.</source>
        <translation>Le temps le plus long pendant lequel une modification n’est qu’en mémoire. La copie est proposée après un plantage.</translation>
    </message>
    <message>
        <source>Older versions kept</source>
        <translation>Anciennes versions gardées</translation>
    </message>
    <message>
        <source>How many saved versions of a file stay in the folder &apos;backup&apos; beside it</source>
        <translation>Combien de versions enregistrées d’un fichier restent dans le dossier « backup » à côté de lui</translation>
    </message>
    <message>
        <source>Simulation</source>
        <translation>Simulation</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>Automatique</translation>
    </message>
    <message>
        <source>Processor (cpu)</source>
        <translation>Processeur (cpu)</translation>
    </message>
    <message>
        <source>First NVIDIA GPU (cuda)</source>
        <translation>Premier GPU NVIDIA (cuda)</translation>
    </message>
    <message>
        <source>%1 (not found)</source>
        <translation>%1 (introuvable)</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>Matériel</translation>
    </message>
    <message>
        <source>What simulates. &apos;Automatic&apos; takes a GPU where there is one. Used from the next run on.</source>
        <translation>Ce qui simule. « Automatique » prend un GPU s’il y en a un. Utilisé à partir de la prochaine simulation.</translation>
    </message>
    <message>
        <source> GB</source>
        <translation> Go</translation>
    </message>
    <message>
        <source>Frames in memory</source>
        <translation>Images en mémoire</translation>
    </message>
    <message>
        <source>Simulated frames kept in memory; the others are read from disk. Automatic: an eighth of the memory, at most 4 GB</source>
        <translation>Images simulées gardées en mémoire ; les autres sont lues du disque. Automatique : un huitième de la mémoire, au plus 4 Go</translation>
    </message>
    <message>
        <source>Frames on disk</source>
        <translation>Images sur disque</translation>
    </message>
    <message>
        <source>Simulated frames kept on disk; then the oldest go. Automatic: half of what is free, at most 20 GB</source>
        <translation>Images simulées gardées sur disque ; ensuite les plus anciennes partent. Automatique : la moitié de l’espace libre, au plus 20 Go</translation>
    </message>
    <message>
        <source>All to default</source>
        <translation>Tout rétablir</translation>
    </message>
    <message>
        <source>Language and size are used when Floe is started again.</source>
        <translation>La langue et la taille valent au prochain démarrage de Floe.</translation>
    </message>
    <message>
        <source>Limits of frames are used when the runtime is started again.</source>
        <translation>Les limites des images valent au prochain démarrage du moteur.</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Sombres</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Claires</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Celles du système</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>Couleurs</translation>
    </message>
    <message>
        <source>Dark or light; used at once</source>
        <translation>Sombres ou claires ; appliquées aussitôt</translation>
    </message>
</context>
<context>
    <name>floe::editor::RunCost</name>
    <message>
        <source>%1: %2 particles, %3 MiB</source>
        <translation>%1 : %2 particules, %3 Mio</translation>
    </message>
    <message>
        <source>, %1 steps a frame</source>
        <translation>, %1 pas par image</translation>
    </message>
    <message>
        <source>; the stiffest for its weight is &apos;%1&apos;, with steps of at most %2 ms</source>
        <translation> ; le plus raide pour son poids est « %1 », avec des pas d’au plus %2 ms</translation>
    </message>
    <message numerus="yes">
        <source>A frame takes %1 s here, and %n frames %2, without pictures and files.</source>
        <translation>
            <numerusform>Une image prend %1 s ici, et %n image %2, sans rendus ni fichiers.</numerusform>
            <numerusform>Une image prend %1 s ici, et %n images %2, sans rendus ni fichiers.</numerusform>
        </translation>
    </message>
    <message>
        <source>What a run takes could not be found: %1</source>
        <translation>Ce que demande une exécution n’a pas pu être trouvé : %1</translation>
    </message>
    <message>
        <source>Emitters go on: where they do to the end, it takes %1.</source>
        <translation>Des émetteurs continuent : s’ils le font jusqu’à la fin, cela prend %1.</translation>
    </message>
</context>
<context>
    <name>floe::editor::SearchPopup</name>
    <message>
        <source>Results</source>
        <translation>Résultats</translation>
    </message>
    <message>
        <source>Nothing is called that. Fewer letters find more.</source>
        <translation>Rien ne porte ce nom. Moins de lettres trouvent davantage.</translation>
    </message>
</context>
<context>
    <name>floe::editor::SeenRun</name>
    <message>
        <source>Preparing the view …</source>
        <translation>Préparation de la vue…</translation>
    </message>
    <message>
        <source>Simulating …</source>
        <translation>Simulation…</translation>
    </message>
    <message>
        <source>This frame was not kept</source>
        <translation>Cette image n’a pas été gardée</translation>
    </message>
</context>
<context>
    <name>floe::editor::ShortcutEditor</name>
    <message>
        <source>Shortcuts</source>
        <translation>Raccourcis</translation>
    </message>
    <message>
        <source>Search commands</source>
        <translation>Chercher une commande</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>Commande</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Touches</translation>
    </message>
    <message>
        <source>All to default</source>
        <translation>Tout rétablir</translation>
    </message>
    <message>
        <source>%1: %2 and %3</source>
        <translation>%1 : %2 et %3</translation>
    </message>
    <message>
        <source>The same keys twice: %1</source>
        <translation>Les mêmes touches deux fois : %1</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Redo</source>
        <translation>Rétablir</translation>
    </message>
</context>
<context>
    <name>floe::editor::StartPage</name>
    <message>
        <source>First snow</source>
        <translation>Première neige</translation>
    </message>
    <message>
        <source>A snowball breaks on a wedge</source>
        <translation>Une boule de neige se brise sur un coin</translation>
    </message>
    <message>
        <source>Sand column</source>
        <translation>Colonne de sable</translation>
    </message>
    <message>
        <source>Dry sand runs out to its slope</source>
        <translation>Le sable sec s’étale jusqu’à son talus</translation>
    </message>
    <message>
        <source>Dam break</source>
        <translation>Rupture de barrage</translation>
    </message>
    <message>
        <source>Water meets an obstacle</source>
        <translation>L’eau rencontre un obstacle</translation>
    </message>
    <message>
        <source>Jelly drop</source>
        <translation>Chute de gelée</translation>
    </message>
    <message>
        <source>A rubber ring lands on jelly</source>
        <translation>Un anneau de caoutchouc tombe sur de la gelée</translation>
    </message>
    <message>
        <source>Mixed materials</source>
        <translation>Matériaux mêlés</translation>
    </message>
    <message>
        <source>A wave carries mud and concrete</source>
        <translation>Une vague emporte boue et béton</translation>
    </message>
    <message>
        <source>Mesh source</source>
        <translation>Source maillée</translation>
    </message>
    <message>
        <source>A knot of snow on a turning wheel</source>
        <translation>Un nœud de neige sur une roue qui tourne</translation>
    </message>
    <message>
        <source>Floe</source>
        <translation>Floe</translation>
    </message>
    <message>
        <source>Snow, sand, water and jelly by the material point method. Open a scene and press Space to play it.</source>
        <translation>Neige, sable, eau et gelée par la méthode des points matériels. Ouvrez une scène et pressez Espace.</translation>
    </message>
    <message>
        <source>New scene</source>
        <translation>Nouvelle scène</translation>
    </message>
    <message>
        <source>Open…</source>
        <translation>Ouvrir…</translation>
    </message>
    <message>
        <source>First steps</source>
        <translation>Premiers pas</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Récents</translation>
    </message>
    <message>
        <source>Scenes</source>
        <translation>Scènes</translation>
    </message>
    <message>
        <source>Nothing yet</source>
        <translation>Rien encore</translation>
    </message>
    <message>
        <source>Train push</source>
        <translation>Train chasse-neige</translation>
    </message>
    <message>
        <source>A plough through deep snow</source>
        <translation>Un soc dans la neige profonde</translation>
    </message>
    <message>
        <source>Avalanche</source>
        <translation>Avalanche</translation>
    </message>
    <message>
        <source>A slab of snow slides into a run-out</source>
        <translation>Une plaque de neige glisse dans la plaine</translation>
    </message>
    <message>
        <source>Glacier collapse</source>
        <translation>Vêlage d’un glacier</translation>
    </message>
    <message>
        <source>Ice leaves a glacier&apos;s front and floats</source>
        <translation>La glace quitte le front d’un glacier et flotte</translation>
    </message>
    <message>
        <source>Ship breach</source>
        <translation>Navire émergeant</translation>
    </message>
    <message>
        <source>A ship rises out of deep snow</source>
        <translation>Un navire sort de la neige profonde</translation>
    </message>
    <message>
        <source>Rally drift</source>
        <translation>Dérapage de rallye</translation>
    </message>
    <message>
        <source>Tyres throw mud and leave tracks</source>
        <translation>Les pneus projettent la boue et laissent des traces</translation>
    </message>
    <message>
        <source>Bullet time</source>
        <translation>La balle au ralenti</translation>
    </message>
    <message>
        <source>A bullet through a melon</source>
        <translation>Une balle à travers un melon</translation>
    </message>
    <message>
        <source>Large scenes, whose resting parts sleep</source>
        <translation>Grandes scènes, dont les parties au repos dorment</translation>
    </message>
    <message>
        <source>Back to %1</source>
        <translation>Retour à %1</translation>
    </message>
    <message>
        <source>Go on with &apos;%1&apos; (Esc)</source>
        <translation>Continuer avec « %1 » (Échap)</translation>
    </message>
    <message>
        <source>Torn sheet</source>
        <translation>Tôle déchirée</translation>
    </message>
    <message>
        <source>A ball of steel tears a sheet of metal</source>
        <translation>Une bille d’acier déchire une tôle</translation>
    </message>
    <message>
        <source>Rubber strips</source>
        <translation>Bandes de caoutchouc</translation>
    </message>
    <message>
        <source>One strip tears, one stays whole</source>
        <translation>Une bande se déchire, l’autre reste entière</translation>
    </message>
    <message>
        <source>Poured sand</source>
        <translation>Sable versé</translation>
    </message>
    <message>
        <source>Live: pour and push with the mouse</source>
        <translation>En direct : versez et poussez à la souris</translation>
    </message>
</context>
<context>
    <name>floe::editor::Studio</name>
    <message>
        <source>Parameters</source>
        <translation>Paramètres</translation>
    </message>
    <message>
        <source>Spreadsheet</source>
        <translation>Tableau</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>Statistiques</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>Journal</translation>
    </message>
    <message>
        <source>Forget simulated frames</source>
        <translation>Oublier les images simulées</translation>
    </message>
    <message>
        <source>Remove the simulated frames from the cache</source>
        <translation>Retire les images simulées du cache</translation>
    </message>
    <message>
        <source>Restart the runtime</source>
        <translation>Redémarrer le moteur</translation>
    </message>
    <message>
        <source>End the process that simulates and start it again</source>
        <translation>Termine le processus qui simule et le relance</translation>
    </message>
    <message>
        <source>Look for plugins</source>
        <translation>Chercher les greffons</translation>
    </message>
    <message>
        <source>Read the plugins&apos; node types again</source>
        <translation>Relit les types de nœuds des greffons</translation>
    </message>
    <message>
        <source>Frame %1</source>
        <translation>Image %1</translation>
    </message>
    <message>
        <source>Show node</source>
        <translation>Montrer le nœud</translation>
    </message>
    <message numerus="yes">
        <source>%n node type(s) found</source>
        <translation>
            <numerusform>%n type de nœud trouvé</numerusform>
            <numerusform>%n types de nœuds trouvés</numerusform>
        </translation>
    </message>
    <message>
        <source>Copied: %1</source>
        <translation>Copié : %1</translation>
    </message>
    <message>
        <source>The command reads the file, so save the scene first.</source>
        <translation>La commande lit le fichier : enregistrez d’abord la scène.</translation>
    </message>
    <message>
        <source>Save</source>
        <translation>Enregistrer</translation>
    </message>
    <message>
        <source>Floe manual</source>
        <translation>Manuel de Floe</translation>
    </message>
    <message>
        <source>Connect…</source>
        <translation>Se connecter…</translation>
    </message>
    <message>
        <source>Use a runtime on another computer</source>
        <translation>Utiliser un moteur sur un autre ordinateur</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is not an address; write host:port.</source>
        <translation>« %1 » n’est pas une adresse ; écrivez hôte:port.</translation>
    </message>
    <message>
        <source>Connected to %1</source>
        <translation>Connecté à %1</translation>
    </message>
    <message>
        <source>Preferences…</source>
        <translation>Préférences…</translation>
    </message>
    <message>
        <source>The limits of frames are used when the runtime is started again, which forgets the frames simulated so far.</source>
        <translation>Les limites des images valent au prochain démarrage du moteur, qui oublie les images simulées jusqu’ici.</translation>
    </message>
    <message>
        <source>The runtime ended here.</source>
        <translation>Le moteur s’est arrêté ici.</translation>
    </message>
    <message>
        <source>The scene was edited; this simulation goes on as it began.</source>
        <translation>La scène a été modifiée ; cette simulation continue telle qu’elle a commencé.</translation>
    </message>
    <message>
        <source>Simulate anew</source>
        <translation>Simuler à nouveau</translation>
    </message>
    <message>
        <source>Copied, but this scene has no node that draws or writes: a run keeps only checkpoints. Add one of the group Output.</source>
        <translation>Copié, mais aucun nœud de cette scène ne dessine ni n’écrit : un calcul ne garde que des points de reprise. Ajoutez-en un du groupe Sortie.</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Copier</translation>
    </message>
    <message>
        <source>What a run takes is found from the file, so save the scene first.</source>
        <translation>Ce que demande une exécution se mesure sur le fichier : enregistrez d’abord la scène.</translation>
    </message>
    <message>
        <source>Trying the first frames…</source>
        <translation>Essai des premières images…</translation>
    </message>
    <message>
        <source>The first frames are still being tried.</source>
        <translation>L’essai des premières images est encore en cours.</translation>
    </message>
    <message>
        <source>Simulate after edits</source>
        <translation>Simuler après les modifications</translation>
    </message>
    <message>
        <source>What an edit makes stale is simulated again by itself; a running simulation begins again where it does not follow</source>
        <translation>Ce qu’une modification périme est simulé de nouveau tout seul ; une simulation en cours recommence là où elle ne suit pas</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>Clés</translation>
    </message>
    <message>
        <source>Language, colours, size, safety copies, device and memory</source>
        <translation>Langue, couleurs, taille, copies de sécurité, matériel et mémoire</translation>
    </message>
    <message>
        <source>Curves</source>
        <translation>Courbes</translation>
    </message>
</context>
<context>
    <name>floe::editor::SweepDialog</name>
    <message>
        <source>Compare values of &apos;%1&apos;</source>
        <translation>Comparer des valeurs de «&#xa0;%1&#xa0;»</translation>
    </message>
    <message>
        <source>Separated by commas</source>
        <translation>Séparées par des virgules</translation>
    </message>
    <message>
        <source>Simulate</source>
        <translation>Simuler</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>Valeurs</translation>
    </message>
    <message>
        <source>Frames</source>
        <translation>Images</translation>
    </message>
    <message>
        <source>Give %1 to %2 values, separated by commas.</source>
        <translation>Donnez de %1 à %2 valeurs, séparées par des virgules.</translation>
    </message>
    <message>
        <source>&apos;%1&apos; is no value that it may have.</source>
        <translation>«&#xa0;%1&#xa0;» n’est pas une valeur permise.</translation>
    </message>
</context>
<context>
    <name>floe::editor::VariantsPanel</name>
    <message>
        <source>Use its values</source>
        <translation>Prendre ses valeurs</translation>
    </message>
    <message>
        <source>Gives the scene the values of the variant on the right</source>
        <translation>Donne à la scène les valeurs de la variante de droite</translation>
    </message>
    <message>
        <source>Use the values %1</source>
        <translation>Prendre les valeurs %1</translation>
    </message>
    <message>
        <source>Open a sweep…</source>
        <translation>Ouvrir un balayage…</translation>
    </message>
    <message>
        <source>End the comparison</source>
        <translation>Terminer la comparaison</translation>
    </message>
    <message>
        <source>Variants</source>
        <translation>Variantes</translation>
    </message>
    <message>
        <source>Compare variants of a sweep…</source>
        <translation>Comparer les variantes d’un balayage…</translation>
    </message>
    <message>
        <source>Choose two variants, or one and this scene, and show them beside each other</source>
        <translation>Choisir deux variantes, ou une et cette scène, et les montrer l’une à côté de l’autre</translation>
    </message>
    <message>
        <source>Output folder of a sweep</source>
        <translation>Dossier de sortie d’un balayage</translation>
    </message>
    <message>
        <source>This sweep cannot be read: %1</source>
        <translation>Ce balayage ne peut pas être lu : %1</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Gauche</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Droite</translation>
    </message>
    <message>
        <source>Particles</source>
        <translation>Particules</translation>
    </message>
    <message>
        <source>Top speed</source>
        <translation>Vitesse max.</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>Temps</translation>
    </message>
    <message numerus="yes">
        <source>%n variant(s) of &apos;%1&apos;</source>
        <translation>
            <numerusform>%n variante de « %1 »</numerusform>
            <numerusform>%n variantes de « %1 »</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 m/s</source>
        <translation>%1 m/s</translation>
    </message>
    <message>
        <source>Sweep with --cache to look at its frames.</source>
        <translation>Balayez avec --cache pour regarder ses images.</translation>
    </message>
    <message>
        <source>This scene</source>
        <translation>Cette scène</translation>
    </message>
    <message>
        <source>%1, left</source>
        <translation>%1, à gauche</translation>
    </message>
    <message>
        <source>%1, right</source>
        <translation>%1, à droite</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>a échoué</translation>
    </message>
    <message>
        <source>not finished</source>
        <translation>pas terminée</translation>
    </message>
    <message>
        <source>no frames kept</source>
        <translation>aucune image gardée</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>Arrêter</translation>
    </message>
    <message>
        <source>Variants cannot be simulated: %1</source>
        <translation>Les variantes ne peuvent être simulées&#xa0;: %1</translation>
    </message>
    <message>
        <source>Simulating %1 of %2 values of &apos;%3&apos;…</source>
        <translation>Simulation de la valeur %1 sur %2 de «&#xa0;%3&#xa0;»…</translation>
    </message>
    <message>
        <source>No sweep is open. The right mouse button on a parameter begins one; &apos;floe sweep --cache&apos; keeps the frames of its variants, too.</source>
        <translation>Aucun balayage n’est ouvert. Un clic droit sur un paramètre en commence un&#xa0;; «&#xa0;floe sweep --cache&#xa0;» garde aussi les images de ses variantes.</translation>
    </message>
</context>
<context>
    <name>floe::panels::ColourPatch</name>
    <message>
        <source>Choose a colour</source>
        <translation>Choisir une couleur</translation>
    </message>
</context>
<context>
    <name>floe::panels::CurveView</name>
    <message>
        <source>Curves</source>
        <translation>Courbes</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>Palier</translation>
    </message>
    <message>
        <source>Linear</source>
        <translation>Linéaire</translation>
    </message>
    <message>
        <source>Bezier</source>
        <translation>Bézier</translation>
    </message>
    <message>
        <source>Hold the value until the next key</source>
        <translation>Garde la valeur jusqu’à la clé suivante</translation>
    </message>
    <message>
        <source>Straight to the next key</source>
        <translation>Droit vers la clé suivante</translation>
    </message>
    <message>
        <source>Smooth to the next key</source>
        <translation>En douceur vers la clé suivante</translation>
    </message>
    <message>
        <source>Close the curves</source>
        <translation>Fermer les courbes</translation>
    </message>
    <message>
        <source>frame %1, value %2</source>
        <translation>image %1, valeur %2</translation>
    </message>
</context>
<context>
    <name>floe::panels::DopeSheet</name>
    <message>
        <source>Keys of all parameters</source>
        <translation>Clés de tous les paramètres</translation>
    </message>
    <message>
        <source>Selected nodes</source>
        <translation>Nœuds choisis</translation>
    </message>
    <message>
        <source>Show the keys of the selected nodes alone</source>
        <translation>Ne montrer que les clés des nœuds choisis</translation>
    </message>
    <message numerus="yes">
        <source>%n parameter(s) with keys</source>
        <translation>
            <numerusform>%n paramètre avec des clés</numerusform>
            <numerusform>%n paramètres avec des clés</numerusform>
        </translation>
    </message>
    <message>
        <source>Move keys</source>
        <translation>Déplacer des clés</translation>
    </message>
    <message>
        <source>Remove keys</source>
        <translation>Supprimer des clés</translation>
    </message>
    <message>
        <source>Paste keys</source>
        <translation>Coller des clés</translation>
    </message>
    <message>
        <source>The selected nodes have no keys.</source>
        <translation>Les nœuds choisis n’ont pas de clés.</translation>
    </message>
    <message>
        <source>No parameter has keys yet: K over a number sets one.</source>
        <translation>Aucun paramètre n’a encore de clé : K au-dessus d’un nombre en pose une.</translation>
    </message>
</context>
<context>
    <name>floe::panels::Evaluated</name>
    <message>
        <source>there is no number &apos;%1&apos;</source>
        <translation>il n’y a pas de nombre « %1 »</translation>
    </message>
    <message>
        <source>is not a finite number at this frame</source>
        <translation>n’est pas un nombre fini à cette image</translation>
    </message>
</context>
<context>
    <name>floe::panels::Field</name>
    <message>
        <source>All files</source>
        <translation>Tous les fichiers</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>Choisir un fichier</translation>
    </message>
</context>
<context>
    <name>floe::panels::KeyButton</name>
    <message>
        <source>Set or remove a key at this frame  [K]</source>
        <translation>Pose ou retire une clé à cette image  [K]</translation>
    </message>
    <message>
        <source>Key</source>
        <translation>Clé</translation>
    </message>
</context>
<context>
    <name>floe::panels::NumberField</name>
    <message>
        <source>&apos;%1&apos; is kept out: %2</source>
        <translation>« %1 » n’est pas pris : %2</translation>
    </message>
    <message>
        <source>automatic</source>
        <translation>automatique</translation>
    </message>
</context>
<context>
    <name>floe::panels::ParameterPanel</name>
    <message>
        <source>Name of the node; expressions use it</source>
        <translation>Nom du nœud ; les expressions l’utilisent</translation>
    </message>
    <message>
        <source>Name of the node</source>
        <translation>Nom du nœud</translation>
    </message>
    <message>
        <source>Sets several parameters at once</source>
        <translation>Règle plusieurs paramètres à la fois</translation>
    </message>
    <message>
        <source>Open the manual page of this node</source>
        <translation>Ouvre la page du manuel de ce nœud</translation>
    </message>
    <message>
        <source>Manual</source>
        <translation>Manuel</translation>
    </message>
    <message>
        <source>The plugin of &apos;%1&apos; is not installed.
The node is kept as it is.</source>
        <translation>Le greffon de « %1 » n’est pas installé.
Le nœud est conservé tel quel.</translation>
    </message>
    <message>
        <source>Select a node to see its parameters</source>
        <translation>Choisissez un nœud pour voir ses paramètres</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>Préréglages</translation>
    </message>
    <message numerus="yes">
        <source>%n nodes</source>
        <translation>
            <numerusform>%n nœud</numerusform>
            <numerusform>%n nœuds</numerusform>
        </translation>
    </message>
    <message>
        <source>what they share</source>
        <translation>ce qu’ils ont en commun</translation>
    </message>
    <message>
        <source>This node has no parameters</source>
        <translation>Ce nœud n’a pas de paramètres</translation>
    </message>
    <message>
        <source>These nodes have no parameter in common</source>
        <translation>Ces nœuds n’ont aucun paramètre en commun</translation>
    </message>
    <message>
        <source>No effect while &apos;%1&apos; is on</source>
        <translation>Sans effet tant que « %1 » est activé</translation>
    </message>
    <message>
        <source>No effect while &apos;%1&apos; is off</source>
        <translation>Sans effet tant que « %1 » est désactivé</translation>
    </message>
    <message>
        <source>No effect while &apos;%1&apos; is &apos;%2&apos;</source>
        <translation>Sans effet tant que « %1 » est « %2 »</translation>
    </message>
    <message>
        <source>No effect with the other settings as they are</source>
        <translation>Sans effet avec les autres réglages actuels</translation>
    </message>
    <message>
        <source>This subgraph shows no parameters.
Inside it (I), the menu of a parameter can show it here.</source>
        <translation>Ce sous-graphe ne montre aucun paramètre.
À l’intérieur (I), le menu d’un paramètre peut l’y montrer.</translation>
    </message>
    <message>
        <source>On, since &apos;%1&apos; needs it.</source>
        <translation>Activé, car « %1 » en a besoin.</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>Aperçu</translation>
    </message>
    <message>
        <source>Edit curve, in the menu of a number that has keys, shows it here</source>
        <translation>« Modifier la courbe », dans le menu d’un nombre qui a des clés, la montre ici</translation>
    </message>
</context>
<context>
    <name>floe::panels::ParameterRow</name>
    <message>
        <source>%1 to %2</source>
        <translation>%1 à %2</translation>
    </message>
    <message>
        <source>Acts on the running simulation.</source>
        <translation>Agit sur la simulation en cours.</translation>
    </message>
    <message>
        <source>This parameter takes a number only.</source>
        <translation>Ce paramètre n’accepte qu’un nombre.</translation>
    </message>
    <message>
        <source>The stored value cannot be shown; editing replaces it.</source>
        <translation>La valeur enregistrée ne peut être montrée ; la modifier la remplace.</translation>
    </message>
    <message>
        <source>Reset to default</source>
        <translation>Valeur par défaut</translation>
    </message>
    <message>
        <source>Copy reference &apos;%1&apos;</source>
        <translation>Copier la référence « %1 »</translation>
    </message>
    <message>
        <source>Remove key here</source>
        <translation>Retirer la clé ici</translation>
    </message>
    <message>
        <source>Set key here</source>
        <translation>Poser une clé ici</translation>
    </message>
    <message>
        <source>Edit curve</source>
        <translation>Modifier la courbe</translation>
    </message>
    <message>
        <source>Keep the value of this frame</source>
        <translation>Garder la valeur de cette image</translation>
    </message>
    <message>
        <source>Show on instances of this subgraph</source>
        <translation>Montrer sur les instances de ce sous-graphe</translation>
    </message>
    <message>
        <source>Edit how instances show it…</source>
        <translation>Modifier comment les instances le montrent…</translation>
    </message>
    <message>
        <source>Move up on instances</source>
        <translation>Monter sur les instances</translation>
    </message>
    <message>
        <source>Move down on instances</source>
        <translation>Descendre sur les instances</translation>
    </message>
    <message>
        <source>Compare values…</source>
        <translation>Comparer des valeurs…</translation>
    </message>
</context>
<context>
    <name>floe::panels::PromotedDialog</name>
    <message>
        <source>How instances show &apos;%1&apos;</source>
        <translation>Comment les instances montrent « %1 »</translation>
    </message>
    <message>
        <source>Label</source>
        <translation>Nom</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>Aide</translation>
    </message>
    <message>
        <source>Minimum</source>
        <translation>Minimum</translation>
    </message>
    <message>
        <source>Maximum</source>
        <translation>Maximum</translation>
    </message>
    <message>
        <source>Slider from</source>
        <translation>Glissière de</translation>
    </message>
    <message>
        <source>Slider to</source>
        <translation>Glissière à</translation>
    </message>
    <message>
        <source>A bound is a number, or empty.</source>
        <translation>Une limite est un nombre, ou reste vide.</translation>
    </message>
</context>
<context>
    <name>floe::views::FrameBar</name>
    <message>
        <source>Frames</source>
        <translation>Images</translation>
    </message>
    <message>
        <source>Resume from frame %1</source>
        <translation>Reprendre à l’image %1</translation>
    </message>
    <message>
        <source>Simulates on from this frame with the scene as it is now</source>
        <translation>Continue la simulation depuis cette image avec la scène actuelle</translation>
    </message>
    <message>
        <source>Start range here</source>
        <translation>Commencer la plage ici</translation>
    </message>
    <message>
        <source>End range here</source>
        <translation>Finir la plage ici</translation>
    </message>
    <message>
        <source>Frame %1: %2</source>
        <translation>Image %1 : %2</translation>
    </message>
</context>
<context>
    <name>floe::views::LogModel</name>
    <message>
        <source>Time</source>
        <translation>Heure</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>Nœud</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>Message</translation>
    </message>
</context>
<context>
    <name>floe::views::LogView</name>
    <message>
        <source>Filter by node or words</source>
        <translation>Filtrer par nœud ou par mots</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>Notes</translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation>Avertissements</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>Erreurs</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>Copier</translation>
    </message>
    <message>
        <source>Copy the lines shown</source>
        <translation>Copier les lignes affichées</translation>
    </message>
    <message>
        <source>Nothing has been reported</source>
        <translation>Rien n’a été signalé</translation>
    </message>
    <message>
        <source>No line fits the filter</source>
        <translation>Aucune ligne ne correspond au filtre</translation>
    </message>
    <message>
        <source>Clear</source>
        <translation>Effacer</translation>
    </message>
</context>
<context>
    <name>floe::views::ManualView</name>
    <message>
        <source>Search</source>
        <translation>Chercher</translation>
    </message>
    <message>
        <source>Contents</source>
        <translation>Sommaire</translation>
    </message>
    <message>
        <source>Tutorials</source>
        <translation>Tutoriels</translation>
    </message>
    <message>
        <source>Using the editor</source>
        <translation>Utiliser l’éditeur</translation>
    </message>
    <message>
        <source>Node reference</source>
        <translation>Référence des nœuds</translation>
    </message>
    <message>
        <source># Not found

The page &apos;%1&apos; of the manual is not installed.</source>
        <translation># Introuvable

La page « %1 » du manuel n’est pas installée.</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>Autres</translation>
    </message>
    <message>
        <source>%1, version %2, plugin %3</source>
        <translation>%1, version %2, greffon %3</translation>
    </message>
    <message>
        <source>solver</source>
        <translation>solveur</translation>
    </message>
    <message>
        <source>sink</source>
        <translation>sortie</translation>
    </message>
    <message>
        <source>CPU and CUDA</source>
        <translation>processeur et CUDA</translation>
    </message>
    <message>
        <source>needs CUDA</source>
        <translation>demande CUDA</translation>
    </message>
    <message>
        <source>Also found as: %1.</source>
        <translation>Se trouve aussi par : %1.</translation>
    </message>
    <message>
        <source>socket</source>
        <translation>prise</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>genre</translation>
    </message>
    <message>
        <source>input</source>
        <translation>entrée</translation>
    </message>
    <message>
        <source>output</source>
        <translation>sortie</translation>
    </message>
    <message>
        <source>required</source>
        <translation>obligatoire</translation>
    </message>
    <message>
        <source>several</source>
        <translation>plusieurs</translation>
    </message>
    <message>
        <source>parameter</source>
        <translation>paramètre</translation>
    </message>
    <message>
        <source>type</source>
        <translation>type</translation>
    </message>
    <message>
        <source>default</source>
        <translation>par défaut</translation>
    </message>
    <message>
        <source>range</source>
        <translation>plage</translation>
    </message>
    <message>
        <source>unit</source>
        <translation>unité</translation>
    </message>
    <message>
        <source>preset</source>
        <translation>préréglage</translation>
    </message>
    <message>
        <source>values</source>
        <translation>valeurs</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>de %1 à %2</translation>
    </message>
    <message>
        <source>%1 or %2</source>
        <translation>%1 ou %2</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1 et %2</translation>
    </message>
    <message>
        <source>Used when %1.</source>
        <translation>Utilisé quand %1.</translation>
    </message>
    <message>
        <source>%1 is %2</source>
        <translation>%1 vaut %2</translation>
    </message>
    <message>
        <source>Constant over time.</source>
        <translation>Constant dans le temps.</translation>
    </message>
</context>
<context>
    <name>floe::views::PictureArea</name>
    <message>
        <source>Viewport</source>
        <translation>Vue</translation>
    </message>
    <message>
        <source>Top</source>
        <translation>Dessus</translation>
    </message>
    <message>
        <source>Bottom</source>
        <translation>Dessous</translation>
    </message>
    <message>
        <source>Front</source>
        <translation>Face</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Droite</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Gauche</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Arrière</translation>
    </message>
    <message>
        <source>Orthographic</source>
        <translation>Orthographique</translation>
    </message>
    <message>
        <source>%1, orthographic</source>
        <translation>%1, orthographique</translation>
    </message>
    <message>
        <source>Perspective</source>
        <translation>Perspective</translation>
    </message>
</context>
<context>
    <name>floe::views::Plots</name>
    <message>
        <source>Statistics over the frames</source>
        <translation>Statistiques au fil des images</translation>
    </message>
    <message>
        <source>Particles</source>
        <translation>Particules</translation>
    </message>
    <message>
        <source>Active</source>
        <translation>Actif</translation>
    </message>
    <message>
        <source>Substeps</source>
        <translation>Sous-pas</translation>
    </message>
    <message>
        <source>Time a frame</source>
        <translation>Temps par image</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Mémoire</translation>
    </message>
    <message>
        <source>frame %1: </source>
        <translation>image %1 : </translation>
    </message>
    <message>
        <source>Statistics appear here as frames are simulated</source>
        <translation>Les statistiques apparaissent ici au fil de la simulation</translation>
    </message>
</context>
<context>
    <name>floe::views::ProgressStrip</name>
    <message>
        <source>The simulation failed.</source>
        <translation>La simulation a échoué.</translation>
    </message>
    <message>
        <source>Cancelled.</source>
        <translation>Annulé.</translation>
    </message>
    <message>
        <source>%1 left</source>
        <translation>encore %1</translation>
    </message>
    <message>
        <source>Restart the runtime</source>
        <translation>Redémarrer le moteur</translation>
    </message>
    <message>
        <source>Starting the runtime …</source>
        <translation>Démarrage du moteur…</translation>
    </message>
    <message>
        <source>Frame %1 of %2</source>
        <translation>Image %1 sur %2</translation>
    </message>
    <message>
        <source>Preparing …</source>
        <translation>Préparation…</translation>
    </message>
    <message>
        <source>Stopping …</source>
        <translation>Arrêt…</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Annuler</translation>
    </message>
    <message>
        <source>Stop simulating; the frames made so far stay  [Esc]</source>
        <translation>Arrête la simulation ; les images faites restent  [Échap]</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>Fermer</translation>
    </message>
    <message>
        <source>Connect again</source>
        <translation>Se reconnecter</translation>
    </message>
    <message>
        <source>The runtime is not running</source>
        <translation>Le moteur n’est pas en marche</translation>
    </message>
</context>
<context>
    <name>floe::views::Spreadsheet</name>
    <message>
        <source>Frame %1 is not simulated yet.</source>
        <translation>L’image %1 n’est pas encore simulée.</translation>
    </message>
    <message>
        <source>Value shown</source>
        <translation>Valeur affichée</translation>
    </message>
    <message>
        <source>%1 rows, the first %2 are shown</source>
        <translation>%1 lignes, les %2 premières sont affichées</translation>
    </message>
    <message>
        <source>The runtime is not running.</source>
        <translation>Le moteur n’est pas en marche.</translation>
    </message>
    <message>
        <source>of the scene as it was before its errors</source>
        <translation>de la scène telle qu’elle était avant ses erreurs</translation>
    </message>
    <message numerus="yes">
        <source>%Ln row(s)</source>
        <translation>
            <numerusform>%Ln ligne</numerusform>
            <numerusform>%Ln lignes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>floe::views::StatisticsStrip</name>
    <message>
        <source>Statistics of the frame</source>
        <translation>Statistiques de l’image</translation>
    </message>
    <message>
        <source>Nothing simulated yet</source>
        <translation>Rien n’est encore simulé</translation>
    </message>
    <message>
        <source>Particles</source>
        <translation>Particules</translation>
    </message>
    <message>
        <source>Active</source>
        <translation>Actif</translation>
    </message>
    <message>
        <source>Substeps</source>
        <translation>Sous-pas</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>Mémoire</translation>
    </message>
    <message>
        <source>Frame</source>
        <translation>Cadre</translation>
    </message>
    <message>
        <source>Particles: %1
Substeps: %2
Top speed: %3 m/s
Memory: %4
Frame: %5</source>
        <translation>Particules : %1
Sous-pas : %2
Vitesse maximale : %3 m/s
Mémoire : %4
Image : %5</translation>
    </message>
</context>
<context>
    <name>floe::views::Timeline</name>
    <message>
        <source>Play</source>
        <translation>Lire</translation>
    </message>
    <message>
        <source>Play; simulates frames that are missing</source>
        <translation>Lit ; simule les images manquantes</translation>
    </message>
    <message>
        <source>Previous frame</source>
        <translation>Image précédente</translation>
    </message>
    <message>
        <source>Next frame</source>
        <translation>Image suivante</translation>
    </message>
    <message>
        <source>Next frame; simulates it when it is missing</source>
        <translation>Image suivante ; la simule si elle manque</translation>
    </message>
    <message>
        <source>First frame</source>
        <translation>Première image</translation>
    </message>
    <message>
        <source>Last simulated frame</source>
        <translation>Dernière image simulée</translation>
    </message>
    <message>
        <source>Loop</source>
        <translation>Boucle</translation>
    </message>
    <message>
        <source>Start over at the end</source>
        <translation>Recommence à la fin</translation>
    </message>
    <message>
        <source>Simulate</source>
        <translation>Simuler</translation>
    </message>
    <message>
        <source>Simulate the whole range; the frame shown stays where it is</source>
        <translation>Simule toute la plage ; l’image affichée reste la même</translation>
    </message>
    <message>
        <source>Stop simulating</source>
        <translation>Arrêter la simulation</translation>
    </message>
    <message>
        <source>Stop simulating (Esc)</source>
        <translation>Arrête la simulation (Échap)</translation>
    </message>
    <message>
        <source>Resume from this frame</source>
        <translation>Reprendre à cette image</translation>
    </message>
    <message>
        <source>Simulate on from the frame shown, with the scene as it is now</source>
        <translation>Continue la simulation depuis l’image affichée, avec la scène actuelle</translation>
    </message>
    <message>
        <source>Frame shown</source>
        <translation>Image affichée</translation>
    </message>
    <message>
        <source>First frame of the scene</source>
        <translation>Première image de la scène</translation>
    </message>
    <message>
        <source>Last frame of the scene</source>
        <translation>Dernière image de la scène</translation>
    </message>
    <message>
        <source>Frames a second</source>
        <translation>Images par seconde</translation>
    </message>
    <message>
        <source>%1 fps</source>
        <translation>%1 i/s</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>Pause</translation>
    </message>
    <message>
        <source>It is being simulated.</source>
        <translation>La simulation est en cours.</translation>
    </message>
    <message>
        <source>The runtime is not running.</source>
        <translation>Le moteur n’est pas en marche.</translation>
    </message>
    <message>
        <source>Nothing is being simulated.</source>
        <translation>Aucune simulation n’est en cours.</translation>
    </message>
    <message>
        <source>This frame has not been simulated.</source>
        <translation>Cette image n’a pas été simulée.</translation>
    </message>
    <message>
        <source>This is the first frame.</source>
        <translation>C’est la première image.</translation>
    </message>
    <message>
        <source>This is the last frame.</source>
        <translation>C’est la dernière image.</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>En direct</translation>
    </message>
    <message>
        <source>Simulate at the scene&apos;s frame rate and show each frame as it comes; where frames take longer, time runs slower</source>
        <translation>Simuler à la cadence de la scène et montrer chaque image dès qu’elle est là ; quand les images prennent plus de temps, le temps passe plus lentement</translation>
    </message>
    <message>
        <source>%1 fps, time × %2</source>
        <translation>%1 i/s, temps × %2</translation>
    </message>
    <message>
        <source>Cells for the rate</source>
        <translation>Cellules pour la cadence</translation>
    </message>
    <message>
        <source>Live runs have cells as large as the rate needs them; those of the scene stay as they are</source>
        <translation>Les calculs en direct ont des cellules aussi grandes que la cadence le demande&#xa0;; celles de la scène restent telles quelles</translation>
    </message>
</context>
<context>
    <name>floe::views::Viewport</name>
    <message>
        <source>  m/s</source>
        <translation>  m/s</translation>
    </message>
    <message>
        <source>Camera</source>
        <translation>Caméra</translation>
    </message>
    <message>
        <source>Colour particles by</source>
        <translation>Colorer les particules par</translation>
    </message>
    <message>
        <source>Colour map</source>
        <translation>Palette</translation>
    </message>
    <message>
        <source>Restart the runtime</source>
        <translation>Redémarrer le moteur</translation>
    </message>
    <message>
        <source>Material</source>
        <translation>Matériau</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>Vitesse</translation>
    </message>
    <message>
        <source>Activation</source>
        <translation>Activation</translation>
    </message>
    <message>
        <source>Stretch</source>
        <translation>Étirement</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>auto</translation>
    </message>
    <message>
        <source>Value at the lower end of the colour map</source>
        <translation>Valeur à l’extrémité basse de la palette</translation>
    </message>
    <message>
        <source>Value at the upper end of the colour map</source>
        <translation>Valeur à l’extrémité haute de la palette</translation>
    </message>
    <message>
        <source>Colliders</source>
        <translation>Obstacles</translation>
    </message>
    <message>
        <source>Domain</source>
        <translation>Domaine</translation>
    </message>
    <message>
        <source>Ground grid</source>
        <translation>Grille du sol</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>Montrer</translation>
    </message>
    <message>
        <source>What is shown besides particles</source>
        <translation>Ce qui est montré outre les particules</translation>
    </message>
    <message>
        <source>Frame all</source>
        <translation>Tout cadrer</translation>
    </message>
    <message>
        <source>Drive</source>
        <translation>Conduire</translation>
    </message>
    <message>
        <source>Drive the selected node while it is simulated: W, S, A, D, E, Q, a gamepad or its handle; Esc ends. What is driven becomes keys  [G]</source>
        <translation>Conduire le nœud sélectionné pendant la simulation : W, S, A, D, E, Q, une manette ou sa poignée ; Échap termine. Ce qui est conduit devient des clés  [G]</translation>
    </message>
    <message>
        <source>particle %1</source>
        <translation>particule %1</translation>
    </message>
    <message>
        <source>Frame %1  ·  %2 × %3  ·  %4 ms</source>
        <translation>Image %1  ·  %2 × %3  ·  %4 ms</translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>et %n de plus</numerusform>
            <numerusform>et %n de plus</numerusform>
        </translation>
    </message>
    <message>
        <source>Your scene is safe: it lives in the editor.</source>
        <translation>Votre scène est en sûreté : elle vit dans l’éditeur.</translation>
    </message>
    <message>
        <source>Starting the runtime …</source>
        <translation>Démarrage du moteur…</translation>
    </message>
    <message>
        <source>The runtime is not running</source>
        <translation>Le moteur n’est pas en marche</translation>
    </message>
    <message>
        <source>An empty scene</source>
        <translation>Une scène vide</translation>
    </message>
    <message>
        <source>Press Tab in the network to add nodes. A shape, a material, an emitter and a solver make a scene.</source>
        <translation>Tab dans le réseau ajoute des nœuds. Une forme, un matériau, un émetteur et un solveur font une scène.</translation>
    </message>
    <message>
        <source>The scene cannot run yet</source>
        <translation>La scène ne peut pas encore être simulée</translation>
    </message>
    <message>
        <source>Simulating the first frame …</source>
        <translation>Simulation de la première image…</translation>
    </message>
    <message>
        <source>Press Space to simulate and play.</source>
        <translation>Espace simule et lit.</translation>
    </message>
    <message>
        <source>Free camera</source>
        <translation>Caméra libre</translation>
    </message>
    <message>
        <source>Surfaces of particles</source>
        <translation>Surfaces des particules</translation>
    </message>
    <message>
        <source>Meshes that nodes make of the particles, in their place</source>
        <translation>Les maillages que des nœuds font des particules, à leur place</translation>
    </message>
    <message>
        <source>Save picture…</source>
        <translation>Enregistrer l’image…</translation>
    </message>
    <message>
        <source>Save the frame shown as an image</source>
        <translation>Enregistrer l’image affichée dans un fichier</translation>
    </message>
    <message>
        <source>Save movie…</source>
        <translation>Enregistrer le film…</translation>
    </message>
    <message>
        <source>Save the simulated frames, up to the first gap, as a movie</source>
        <translation>Enregistrer en un film les images simulées, jusqu’au premier trou</translation>
    </message>
    <message>
        <source>Stop saving the movie</source>
        <translation>Arrêter l’enregistrement du film</translation>
    </message>
    <message>
        <source>End the movie that is being saved; no file is left</source>
        <translation>Interrompre le film en cours d’enregistrement ; aucun fichier ne reste</translation>
    </message>
    <message>
        <source>No movie is being saved.</source>
        <translation>Aucun film n’est en cours d’enregistrement.</translation>
    </message>
    <message>
        <source>%1 was not saved: it was stopped.</source>
        <translation>%1 n’a pas été enregistré : arrêté à la demande.</translation>
    </message>
    <message>
        <source>Saved %1: frames %2 to %3</source>
        <translation>%1 enregistré : images %2 à %3</translation>
    </message>
    <message>
        <source>Save picture</source>
        <translation>Enregistrer l’image</translation>
    </message>
    <message>
        <source>Images (*.png)</source>
        <translation>Images (*.png)</translation>
    </message>
    <message>
        <source>Save movie</source>
        <translation>Enregistrer le film</translation>
    </message>
    <message>
        <source>Movies (*.mp4)</source>
        <translation>Films (*.mp4)</translation>
    </message>
    <message>
        <source>Saving %1: %2 %</source>
        <translation>Enregistrement de %1 : %2 %</translation>
    </message>
    <message>
        <source>Before simulating  ·  frame %1  ·  %2 × %3  ·  %4 ms</source>
        <translation>Avant la simulation  ·  image %1  ·  %2 × %3  ·  %4 ms</translation>
    </message>
    <message>
        <source>Saved %1</source>
        <translation>%1 enregistré</translation>
    </message>
    <message>
        <source>Connect again</source>
        <translation>Se reconnecter</translation>
    </message>
    <message>
        <source>Preparing the view …</source>
        <translation>Préparation de la vue…</translation>
    </message>
    <message>
        <source>The solver has no collider, so nothing stops what falls: add a Plane and a Collider.</source>
        <translation>Le solveur n’a pas d’obstacle, donc rien n’arrête ce qui tombe : ajoutez un Plan et un Obstacle.</translation>
    </message>
    <message>
        <source>The runtime takes long to start …</source>
        <translation>Le moteur met longtemps à démarrer …</translation>
    </message>
    <message>
        <source>It is alive; a busy computer or new plugins make it slow. Your scene is safe.</source>
        <translation>Il est vivant ; un ordinateur chargé ou de nouveaux greffons le ralentissent. Votre scène est en sécurité.</translation>
    </message>
    <message>
        <source>&apos;%1&apos; exists already. Replace it?</source>
        <translation>« %1 » existe déjà. Le remplacer ?</translation>
    </message>
    <message>
        <source>%1 was not saved: %2</source>
        <translation>%1 n’a pas été enregistré : %2</translation>
    </message>
    <message>
        <source>No frame has been simulated.</source>
        <translation>Aucune image n’a été simulée.</translation>
    </message>
    <message>
        <source>What is simulated is out of sight: A shows it.</source>
        <translation>Ce qui est simulé est hors de vue : A le montre.</translation>
    </message>
    <message>
        <source>See everything  [A]</source>
        <translation>Tout voir  [A]</translation>
    </message>
    <message>
        <source>Frame selection</source>
        <translation>Cadrer la sélection</translation>
    </message>
    <message>
        <source>See the selected node  [F]</source>
        <translation>Voir le nœud choisi  [F]</translation>
    </message>
    <message>
        <source>Move</source>
        <translation>Déplacer</translation>
    </message>
    <message>
        <source>Handles move the selected node  [W]</source>
        <translation>Les poignées déplacent le nœud sélectionné  [W]</translation>
    </message>
    <message>
        <source>Rotate</source>
        <translation>Tourner</translation>
    </message>
    <message>
        <source>Handles rotate the selected node  [E]</source>
        <translation>Les poignées tournent le nœud sélectionné  [E]</translation>
    </message>
    <message>
        <source>Scale</source>
        <translation>Redimensionner</translation>
    </message>
    <message>
        <source>Handles scale the selected node: its size, radius or height  [R]</source>
        <translation>Les poignées redimensionnent le nœud sélectionné : sa taille, son rayon ou sa hauteur  [R]</translation>
    </message>
    <message>
        <source>Snap</source>
        <translation>Aimanter</translation>
    </message>
    <message>
        <source>Handles go in steps; Ctrl does the same while it is held</source>
        <translation>Les poignées vont par pas ; Ctrl fait de même tant qu’il est tenu</translation>
    </message>
    <message>
        <source>%1 view, without perspective  [%2 on the number pad]</source>
        <translation>Vue : %1, sans perspective  [%2 du pavé numérique]</translation>
    </message>
    <message>
        <source>Front</source>
        <translation>Face</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>Arrière</translation>
    </message>
    <message>
        <source>Ctrl+1</source>
        <translation>Ctrl+1</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>Droite</translation>
    </message>
    <message>
        <source>Left</source>
        <translation>Gauche</translation>
    </message>
    <message>
        <source>Ctrl+3</source>
        <translation>Ctrl+3</translation>
    </message>
    <message>
        <source>Top</source>
        <translation>Dessus</translation>
    </message>
    <message>
        <source>Bottom</source>
        <translation>Dessous</translation>
    </message>
    <message>
        <source>Ctrl+7</source>
        <translation>Ctrl+7</translation>
    </message>
    <message>
        <source>Perspective</source>
        <translation>Perspective</translation>
    </message>
    <message>
        <source>What is farther is smaller  [5 on the number pad]</source>
        <translation>Ce qui est plus loin est plus petit  [5 du pavé numérique]</translation>
    </message>
    <message>
        <source>View</source>
        <translation>Vue</translation>
    </message>
    <message>
        <source>From where the free camera looks</source>
        <translation>D’où regarde la caméra libre</translation>
    </message>
    <message>
        <source>Whole</source>
        <translation>Entier</translation>
    </message>
    <message>
        <source>Across x</source>
        <translation>En travers de x</translation>
    </message>
    <message>
        <source>Across y</source>
        <translation>En travers de y</translation>
    </message>
    <message>
        <source>Across z</source>
        <translation>En travers de z</translation>
    </message>
    <message>
        <source>Facing the view</source>
        <translation>Face à la vue</translation>
    </message>
    <message>
        <source>The other side</source>
        <translation>L’autre côté</translation>
    </message>
    <message>
        <source>Takes away what the cut leaves, and leaves what it takes away</source>
        <translation>Enlève ce que la coupe laisse, et laisse ce qu’elle enlève</translation>
    </message>
    <message>
        <source>Cut</source>
        <translation>Coupe</translation>
    </message>
    <message>
        <source>Cuts the picture open, to see what is inside</source>
        <translation>Ouvre l’image par une coupe, pour voir ce qu’il y a dedans</translation>
    </message>
    <message>
        <source>Where the cut is</source>
        <translation>Où est la coupe</translation>
    </message>
    <message>
        <source>One view</source>
        <translation>Une vue</translation>
    </message>
    <message>
        <source>The active view alone</source>
        <translation>La vue active seule</translation>
    </message>
    <message>
        <source>Two views side by side</source>
        <translation>Deux vues côte à côte</translation>
    </message>
    <message>
        <source>The first view and another, beside each other</source>
        <translation>La première vue et une autre, côte à côte</translation>
    </message>
    <message>
        <source>Two views above each other</source>
        <translation>Deux vues l’une sur l’autre</translation>
    </message>
    <message>
        <source>The first view and another, above each other</source>
        <translation>La première vue et une autre, l’une au-dessus de l’autre</translation>
    </message>
    <message>
        <source>Four views</source>
        <translation>Quatre vues</translation>
    </message>
    <message>
        <source>From the top, in perspective, from the front and from the right; again: the active one alone  [Ctrl+Alt+Q]</source>
        <translation>De dessus, en perspective, de face et de droite ; encore une fois : la vue active seule  [Ctrl+Alt+Q]</translation>
    </message>
    <message>
        <source>Layout</source>
        <translation>Disposition</translation>
    </message>
    <message>
        <source>How many views there are</source>
        <translation>Combien de vues il y a</translation>
    </message>
    <message>
        <source>Emitters</source>
        <translation>Émetteurs</translation>
    </message>
    <message>
        <source>Their shapes, once the scene is simulated, too</source>
        <translation>Leurs formes, aussi une fois la scène simulée</translation>
    </message>
    <message>
        <source>Motion blur</source>
        <translation>Flou de mouvement</translation>
    </message>
    <message>
        <source>What moves is blurred when the view has been still for a moment</source>
        <translation>Ce qui bouge devient flou quand la vue est restée immobile un moment</translation>
    </message>
</context>
<context>
    <name>main</name>
    <message>
        <source>Builds and plays physical simulations.</source>
        <translation>Construit et joue des simulations physiques.</translation>
    </message>
    <message>
        <source>The graph to open.</source>
        <translation>Le graphe à ouvrir.</translation>
    </message>
    <message>
        <source>Use a runtime that listens elsewhere.</source>
        <translation>Utilise un moteur qui écoute ailleurs.</translation>
    </message>
    <message>
        <source>What that runtime printed when it began to listen.</source>
        <translation>Ce que ce moteur a écrit en commençant à écouter.</translation>
    </message>
</context>
</TS>
